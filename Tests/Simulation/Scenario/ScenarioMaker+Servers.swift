extension ScenarioMaker {
  mutating func servers(for plan: ConfigurationPlan) -> Servers {
    var all: [Server] = []
    for storage in plan.storages {
      var options = ModelStorage.Options(bucket: storage.bucket)
      options.accessKeys = [ConfigurationPlan.firstKey(of: storage.host)]
      if has(.weakStorages) {
        options.keepsConditions = numbers.isOne(in: 500)
        options.keepsConditionsOfComplete = options.keepsConditions && numbers.isOne(in: 500)
        options.knowsChecksums = numbers.isOne(in: 500)
        options.checksTime = numbers.isOne(in: 500)
      }
      var model = ModelStorage(options)
      // The key of a file of a spool with plain keys.
      if has(.foreignObjects), let spool = plan.spools.first(where: { $0.storage == storage.name && $0.hasPlainKeys }) {
        model.addForeignObject(key: "\(spool.name)/file-1.bin", Array("somebody else's".utf8))
      }
      all.append(Server(host: storage.host, .storage(model), trouble: trouble(isStorage: true)))
    }
    for backend in plan.backends {
      let model = ModelBackend(tokens: [ConfigurationPlan.firstKey(of: backend.host)])
      all.append(Server(host: backend.host, .backend(model), trouble: trouble(isStorage: false)))
    }
    return Servers(all, epoch: Self.epoch)
  }

  private mutating func trouble(isStorage: Bool) -> Trouble {
    var trouble = Trouble(latency: Latency(base: .milliseconds(int(1...60))), end: end)
    if has(.slowness) { trouble.latency.base = .milliseconds(int(100...3000)) }
    if has(.slowness) || numbers.isOne(in: 500) { trouble.latency.spread = trouble.latency.base }
    if has(.longTails) {
      trouble.latency.tailPermille = int(1...100)
      trouble.latency.tail = .seconds(int(2...90))
    }
    if has(.parts), isStorage, numbers.isOne(in: 500) { trouble.latency.bytesPerSecond = 1 << int(18...24) }
    if has(.outages) { trouble.spells += outages(isStorage) }
    if has(.losses) {
      trouble.spells.append(spell(.loses(beforePermille: int(0...200), afterPermille: int(0...200)), upTo: 900))
    }
    if has(.statuses) {
      for _ in 0..<int(1...3) { trouble.spells.append(spell(status(permille: int(5...300)), upTo: 900)) }
    }
    if has(.throttling) {
      let wait = wait()
      trouble.spells.append(
        spell(.answers(status: 429, permille: int(20...1000), retryAfter: wait, actsPermille: 0), upTo: 300))
    }
    if has(.silence) { trouble.spells.append(spell(.isSilent(actsPermille: numbers.pick([0, 500, 1000])), upTo: 200)) }
    if has(.jobRefusals) {
      // A conflict that counts as registered would be a lie.
      let conflict = has(.takenConflicts) ? 422 : 409
      let status = isStorage ? 400 : numbers.pick([400, 403, conflict, 413, 422])
      trouble.spells.append(
        spell(.refusesJobs(status: status, permille: int(50...500), salt: int(0...1_000_000)), upTo: 900))
    }
    if has(.pages) {
      trouble.spells.append(spell(.answersWithPage(status: numbers.pick([200, 403, 404, 502])), upTo: 200))
    }
    if has(.mostAtOnce) { trouble.mostAtOnce = int(1...24) }
    if has(.mostPerSecond) { trouble.mostPerSecond = int(1...50) }
    return trouble
  }

  private mutating func spell(_ condition: Condition, upTo share: Int) -> Spell {
    let from = time(upTo: 900)
    return Spell(condition, from: from, until: from + span(upTo: share))
  }

  /// Outages that change their kind while they last: refused, then 503, then a wrong key, then well.
  private mutating func outages(_ isStorage: Bool) -> [Spell] {
    var spells: [Spell] = []
    for _ in 0..<int(1...4) {
      var from = time(upTo: 800)
      for _ in 0..<int(1...4) {
        let until = from + span(upTo: 150)
        spells.append(Spell(outage(), from: from, until: until))
        from = until
      }
    }
    return spells
  }

  private mutating func outage() -> Condition {
    switch int(0...9) {
    case 0, 1: .refusesConnections
    case 2: .hasNoName
    case 3: numbers.pick([.cutsHandshakes, .hasWrongCertificate])
    case 4: .dropsPackets
    case 5: .refusesKeys
    case 6: .isSilent(actsPermille: numbers.pick([0, 1000]))
    case 7, 8: .answers(status: 503, permille: 1000, retryAfter: wait(), actsPermille: 0)
    default: status(permille: 1000)
    }
  }

  /// Statuses that may pass by themselves. A HEAD that says 403 or 404 would be a lie that nobody can see through. A 503 says that nothing
  /// was done.
  private mutating func status(permille: Int) -> Condition {
    let status = numbers.pick([408, 500, 500, 502, 502, 503, 504])
    let (retryAfter, acts) = (numbers.isOne(in: 300) ? wait() : .absent, numbers.pick([0, 0, 500, 1000]))
    return .answers(
      status: status, permille: permille, retryAfter: retryAfter, actsPermille: status == 503 ? 0 : acts)
  }

  private mutating func wait() -> Condition.Wait {
    switch int(0...5) {
    case 0: .absent
    case 1: .seconds(0)
    case 2: .seconds(1)
    case 3: .seconds(int(2...120))
    case 4: .seconds(3600)
    default: .date(after: int(-60...600))
    }
  }
}
