extension Books {
  /// What is not done yet, although all trouble is over and all questions are answered. Empty once all is.
  ///
  /// A file whose job a person has stopped is done with. So is one whose spool is not in the configuration. One that is on a card that is
  /// not in its slot waits for that.
  package func unfinished(_ facts: WorldFacts, _ servers: Servers, _ configuration: ConfigurationPlan) -> [String] {
    let ends = Deliveries(servers, self)
    let spools = configuration.spools.map(\.directory)
    let held = Set(facts.files.filter { $0.path.hasPrefix("spools/") }.map(\.sum))
    let away = Set(facts.files.filter { $0.path.hasPrefix(WorldFacts.away + "/") }.map(\.sum)).subtracting(held)
    let names = configuration.spools.map(\.name)
    let stopped = Set(
      (facts.jobs ?? []).filter { ["cancelled", "discarded"].contains($0.state) || !names.contains($0.spool) }
        .map(\.name))
    var open: [String] = []
    for entry in entries where spools.contains(entry.drop.spool) {
      guard !entry.isGivenUp, !isIgnored(entry.drop), !stopped.contains(entry.drop.name) else { continue }
      for (number, version) in entry.versions.enumerated() where !version.mayBeGone {
        let words = "\(entry.drop.name), version \(number + 1),"
        if keeps.contains(entry.drop.spool), version.contents.parts.contains(where: { away.contains($0.sum) }) {
          continue
        }
        if !ends.isDelivered(version.contents, of: entry.drop) {
          open.append("\(words) is not registered")
        } else if !keeps.contains(entry.drop.spool),
          version.contents.parts.contains(where: { $0.sum.size > 0 && held.contains($0.sum) }),
          twins(of: entry.drop).isEmpty
            || facts.files.contains(where: { $0.path.hasPrefix("spools/") && $0.path.hasSuffix(entry.drop.name) })
        {
          open.append("\(words) is registered and still in its spool")
        }
      }
    }
    if renamed.isEmpty {
      open += (facts.jobs ?? []).filter { $0.remote == "pending" && names.contains($0.spool) }
        .map { "what job \($0.number) owes at its storage is not done" }
    }
    // A job that was stopped while its storage had another name has no storage to clean up at.
    let gone = (facts.jobs ?? []).filter { ["cancelled", "discarded"].contains($0.state) }.map(\.id)
    for storage in servers.all.compactMap(\.storage) {
      let isRenamed = renamed.contains(storage.options.bucket)
      open += storage.uploads.entries
        .filter { Self.isOwed($0.value) && !isDamaged($0.value.metadata[first: "waybill-id"] ?? "") }
        .filter { upload in !isRenamed || !gone.contains(upload.value.metadata[first: "waybill-id"] ?? "") }
        .map { "\($0.name) of \($0.value.key) is still open" }
    }
    return open
  }

  /// True for an upload in parts that the daemon has to end: it was told of it, or its key is its own. Under another key it may be anybody's.
  private static func isOwed(_ upload: ModelUpload) -> Bool {
    upload.isKnown || upload.key.split(separator: "/").contains { $0.utf8.count == 36 }
  }
}
