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
      if isDamaged(path) { continue }
      // In an archive or in a folder of people, nothing of the daemon's own may be left.
      if path.hasPrefix("spools/"), kept.contains(where: path.contains) { continue }
      left.append("\(path) is left")
    }
    // Nobody can know any more what was stored and not registered.
    return hasLostLedger ? left : left + orphans(jobs, facts.told, servers)
  }

  /// Objects that are neither registered, nor of a job that goes on, nor owed, nor told: nobody would ever look for them.
  private func orphans(_ jobs: [WorldFacts.Job], _ told: [String], _ servers: Servers) -> [String] {
    let documents = servers.all.compactMap(\.backend).flatMap(\.registrations.entries).map(\.value.document)
    let registered = Set(
      documents.flatMap { document in
        (document.files?.map(\.key) ?? [document.key]).map { "\(document.job) \($0)" }
      })
    let ends = ["registered", "skipped", "cancelled", "discarded"]
    return servers.all.compactMap(\.storage).flatMap { storage in
      storage.objects.entries.filter { object in
        guard let id = object.value.id, !isDamaged(id), !registered.contains("\(id) \(object.name)") else {
          return false
        }
        // The backend that has granted it removes it.
        if object.name.hasPrefix(ModelStorage.grantedKeys) { return false }
        let job = jobs.first { $0.id == id }
        if let job, !ends.contains(job.state) || ["pending", "object-left"].contains(job.remote) { return false }
        // A job that was stopped while its storage had another name had no storage to clean up at.
        if let job, renamed.contains(storage.options.bucket), ["cancelled", "discarded"].contains(job.state) {
          return false
        }
        return !told.contains { $0 == id || $0.contains(object.name) }
      }.map { "the object \($0.name) is nobody's" }
    }
  }

  /// The files that a daemon always has in a spool.
  private static let own = ["/.waybill/lock"]
}
