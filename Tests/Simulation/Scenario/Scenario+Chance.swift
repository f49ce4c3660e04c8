extension Scenario {
  package init(seed: UInt64, features: [Feature]? = nil) {
    var maker = ScenarioMaker(seed: seed, features: features)
    self = maker.scenario()
    guard features == nil else { return }
    Encounter(seed: seed)?.join(&self)
    addTroubleOfDisks()
  }

  /// What has to be done when all trouble is over, so that everything can end: the clock is right, the disk is not full, all
  /// spools are there, nothing is paused, the keys are those of the servers, and the configuration is the first one.
  package var repairs: [Action] {
    var jump = Duration.zero
    var pauses: [Action.PauseTarget] = []
    var isFull = false
    var isChanged = false
    var away: [String] = []
    var keys = SortedTable<String>()
    for moment in timeline {
      switch moment.action {
      case .moveWallClock(let by): jump += by
      case .pause(let target): if !pauses.contains(target) { pauses.append(target) }
      case .loseLedger: if !pauses.contains(.recovered) { pauses.append(.recovered) }
      case .fillDisk(let isFilled): isFull = isFull || isFilled
      case .configure: isChanged = true
      case .moveSpool(let directory, _): if !away.contains(directory) { away.append(directory) }
      case .changeKeyAtServer(let host, let key): keys[host] = key
      case .changeKeyFile(let host, _): if keys[host] == nil { keys[host] = ConfigurationPlan.firstKey(of: host) }
      default: break
      }
    }
    var actions: [Action] = isFull ? [.fillDisk(false)] : []
    actions += away.map { .moveSpool(directory: $0, isAway: false) }
    if jump != .zero { actions.append(.moveWallClock(by: .zero - jump)) }
    actions += keys.entries.map { .changeKeyFile(host: $0.name, to: $0.value) }
    if isChanged { actions.append(.configure(configuration)) }
    return actions + pauses.map { .resume($0) }
  }
}
