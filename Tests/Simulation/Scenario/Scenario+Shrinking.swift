extension Scenario {
  /// Scenarios that are simpler than this one, the simplest first. A run that fails is made small by going on with the first of
  /// them that fails too, until none does.
  package func shrunk() -> [Scenario] {
    var simpler: [Scenario] = []
    func add(_ change: (inout Scenario) -> Void) {
      var scenario = self
      change(&scenario)
      if scenario != self { simpler.append(scenario) }
    }
    // Much at once, so that a large scenario becomes small in few runs.
    for count in [2, 4, 8, 16, 32].map({ timeline.count / $0 }) where count > 1 {
      for start in stride(from: 0, to: timeline.count, by: count) {
        add { $0.timeline.removeSubrange(start..<min(start + count, timeline.count)) }
      }
    }
    add { $0.crashes = [] }
    for index in servers.all.indices { add { $0.servers.all[index].trouble = Trouble(end: troubleEnd) } }
    for index in crashes.indices { add { $0.crashes.remove(at: index) } }
    for index in servers.all.indices { simpler += simplerTroubles(of: index) }
    for spool in configuration.spools { simpler += without(spool) }
    // One by one only what is left of many.
    let few = timeline.count <= 100 ? timeline.indices : timeline.startIndex..<timeline.startIndex
    for index in few.reversed() { add { $0.timeline.remove(at: index) } }
    for index in few {
      guard case .drop(let drop) = timeline[index].action else { continue }
      for simple in drop.simpler { add { $0.timeline[index].action = .drop(simple) } }
    }
    add { $0.configuration.daemon = ConfigurationPlan.Daemon() }
    return simpler
  }

  private func simplerTroubles(of index: Int) -> [Scenario] {
    let trouble = servers.all[index].trouble
    var troubles: [Trouble] = []
    func add(_ change: (inout Trouble) -> Void) {
      var other = trouble
      change(&other)
      if other != trouble { troubles.append(other) }
    }
    add { $0.mostAtOnce = nil }
    add { $0.mostPerSecond = nil }
    add { $0.latency = Latency() }
    for spell in trouble.spells.indices { add { $0.spells.remove(at: spell) } }
    return troubles.map { other in
      var scenario = self
      scenario.servers.all[index].trouble = other
      return scenario
    }
  }

  /// Nothing, if files are dropped into the spool or if it is the only one.
  private func without(_ spool: SpoolPlan) -> [Scenario] {
    guard configurations.allSatisfy({ $0.spools.count > 1 }), !drops.contains(where: { $0.spool == spool.directory })
    else { return [] }
    var scenario = self
    scenario.configuration.spools.removeAll { $0.directory == spool.directory }
    for index in timeline.indices {
      guard case .configure(var plan) = timeline[index].action else { continue }
      plan.spools.removeAll { $0.directory == spool.directory }
      scenario.timeline[index].action = .configure(plan)
    }
    return [scenario]
  }
}

extension Drop {
  /// The same file, dropped in a simpler way.
  fileprivate var simpler: [Drop] {
    var drops: [Drop] = []
    func add(_ change: (inout Drop) -> Void) {
      var drop = self
      change(&drop)
      if drop != self { drops.append(drop) }
    }
    if case .group(let files) = kind, files > 1 { add { $0.kind = .group(files: 1) } }
    if manner != .direct { add { $0.manner = .renamedIn } }
    if size > 64 { add { $0.size = 64 } }
    add { $0.folder = "" }
    return drops
  }
}
