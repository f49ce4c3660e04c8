extension Books {
  /// What is left behind although all is done: claims without a job that needs them, unfinished copies, objects that are nobody's.
  ///
  /// Whoever has not looked at the jobs cannot say, and gets nothing.
  package func leftovers(_ facts: WorldFacts, _ servers: Servers) -> [String] {
    guard let jobs = facts.jobs else { return [] }
    let kept = jobs.filter { !["registered", "discarded"].contains($0.state) }.map(\.id)
    var left: [String] = []
    for path in facts.files.map(\.path) {
      let isOfDaemon = path.contains("/.waybill")
      guard isOfDaemon, !Self.own.contains(where: path.hasSuffix) else { continue }
      // In an archive or in a folder of people, nothing of the daemon's own may be left.
      if path.hasPrefix("spools/"), kept.contains(where: path.contains) { continue }
      left.append("\(path) is left")
    }
    // Nobody can know any more what was stored and not registered.
    if hasLostLedger { return left }
    let registered = Set(servers.all.compactMap(\.backend).flatMap { $0.registrations.entries.map(\.name) })
    for storage in servers.all.compactMap(\.storage) {
      for object in storage.objects.entries {
        guard let id = object.value.id, !registered.contains(id), !jobs.contains(where: { $0.id == id }) else {
          continue
        }
        left.append("the object \(object.name) is nobody's")
      }
    }
    return left
  }

  /// The files that a daemon always has in a spool.
  private static let own = ["/.waybill/lock", "/.waybill/holder"]
}
