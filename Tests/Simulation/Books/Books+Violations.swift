extension Books {
  /// What may never be, and is. Empty if the books balance.
  ///
  /// It holds at every moment, also of a crash. A version that is not whole yet is not in the books.
  package func violations(_ facts: WorldFacts, _ servers: Servers) -> [String] {
    let ends = Deliveries(servers, self)
    var found = ends.faults
    found += lost(facts, ends)
    found += wronglyRegistered(ends)
    found += sentWhileStopped(servers)
    found += sentByAnother(ends)
    found += sentTwice(ends)
    found += otherBytes(servers)
    found += taken(facts, ends)
    for storage in servers.all.compactMap(\.storage) { found += replaced(storage) + unsealed(storage) }
    return found
  }

  /// Files that are neither on disk nor registered, and that nobody has given up.
  private func lost(_ facts: WorldFacts, _ ends: Deliveries) -> [String] {
    let present = Set(facts.files.map(\.sum))
    let kept = facts.files.filter { $0.path.hasPrefix("archives/") || $0.path.contains("/.waybill/") }
    let archived = Set(kept.map(\.sum))
    var lost: [String] = []
    for entry in entries where !entry.isGivenUp {
      for (number, version) in entry.versions.enumerated() where !version.mayBeGone {
        let missing = version.contents.parts.filter { !present.contains($0.sum) }
        guard !missing.isEmpty || archives.contains(entry.drop.spool) else { continue }
        let isDelivered = ends.isDelivered(version.contents, of: entry.drop)
        let words = "\(entry.drop.name), version \(number + 1)"
        if !missing.isEmpty, keeps.contains(entry.drop.spool) {
          lost.append("\(words): gone from a spool that keeps its files")
        }
        if !missing.isEmpty, !isDelivered {
          lost.append("\(words): \(missing.count) of its files are gone and not registered")
        }
        if isDelivered, archives.contains(entry.drop.spool) {
          let away = version.contents.parts.filter { !archived.contains($0.sum) }
          if !away.isEmpty { lost.append("\(words): registered, and not in the archive") }
        }
      }
    }
    return lost
  }

  /// Registrations of what nobody has dropped, and versions with more than one.
  private func wronglyRegistered(_ ends: Deliveries) -> [String] {
    var wrong: [String] = []
    for entry in entries {
      var known: Set<String> = []
      for (number, version) in entry.versions.enumerated() {
        let ids = ends.ids(of: version.contents, entry.drop)
        known.formUnion(ids)
        if ids.count(where: { !repeats.contains($0) }) > 1, !version.mayRepeat {
          wrong.append("\(entry.drop.name), version \(number + 1), is registered as \(ids.joined(separator: " and "))")
        }
      }
      for id in ends.ids(name: entry.drop.name) where !known.contains(id) && !removed.contains(id) {
        wrong.append("registration \(id) of \(entry.drop.name) has bytes that were never whole")
      }
    }
    let names = Set(names)
    wrong += ends.names.filter { !names.contains($0) }.map { "\($0) is registered, and was never dropped" }
    return wrong
  }

  private func sentWhileStopped(_ servers: Servers) -> [String] {
    guard !stops.isEmpty else { return [] }
    let sends = ["PutObject", "CreateMultipartUpload", "UploadPart", "CompleteMultipartUpload", "POST"]
    let requests = servers.all.flatMap { $0.storage?.requests ?? $0.backend?.requests ?? [] }
      .filter { sends.contains($0.operation) }
    return stops.flatMap { stop in
      requests.filter { request in
        (request.id == stop.id || request.subject.contains(stop.id)) && request.sentAt > stop.from
          && stop.until.map { request.sentAt < $0 } ?? true
      }.map { "\($0.operation) of \(stop.id) was sent at \($0.sentAt), stopped since \(stop.from)" }
    }
  }

  /// Files that stay where they are, that a person has stopped, and that another job sent all the same although they are what they were.
  private func sentByAnother(_ ends: Deliveries) -> [String] {
    if hasLostLedger { return [] }
    return entries.flatMap { entry -> [String] in
      guard keeps.contains(entry.drop.spool), entry.versions.count == 1, !entry.isTouched else { return [] }
      return stops.filter { $0.name == entry.drop.name && $0.until == nil }.flatMap { stop in
        ends.ids(of: entry.versions[0].contents, entry.drop, since: stop.from)
          .filter { id in !stops.contains { $0.id == id } }
          .map { "\(entry.drop.name) was stopped as \(stop.id), and sent as \($0)" }
      }
    }
  }

  /// Files with a name that their spool does not take, and that are registered or not where they were dropped.
  private func taken(_ facts: WorldFacts, _ ends: Deliveries) -> [String] {
    entries.map(\.drop).filter { drop in
      isIgnored(drop) && !(ends.ids(name: drop.name).isEmpty && facts.files.contains { $0.path == drop.path })
    }.map { "\($0.name) was taken, and its name does not match" }
  }

  /// Objects without the lock or the encryption that their storage asks for.
  private func unsealed(_ storage: ModelStorage) -> [String] {
    seals.filter { $0.bucket == storage.options.bucket }.flatMap { seal in
      storage.history.filter { event in
        guard let object = event.object else { return false }
        return object.headers[first: seal.mark.name] != seal.mark.value
      }.map { "\($0.key) was stored without \(seal.mark.name)" }
    }
  }

  /// Objects that were replaced or removed although they belong to somebody else.
  private func replaced(_ storage: ModelStorage) -> [String] {
    if overwrites.contains(storage.options.bucket) { return [] }
    return storage.history.compactMap { event in
      guard let old = event.replaced else { return nil }
      if let new = event.object { return new.id == old.id ? nil : "\(event.key) was replaced, and is another's" }
      return old.id == nil ? "\(event.key) was removed, and is nobody's" : nil
    }
  }
}
