import Linux
import Seams
import Simulation

/// A spool whose directory gets another name, or whose name gets another directory, while its jobs wait for their registration.
/// They keep the name of their spool. Once they are registered, their files leave it, wherever that is by then, and nothing is sent
/// twice.
struct MovedSpool {
  typealias Spools = KeyValuePairs<String, String>

  let name: String
  private let first: Spools
  /// The spools from a time on. The registration comes at 60 s.
  private let later: [(at: Duration, spools: Spools)]
  private var restarts: [Duration] = []

  static let all = [
    MovedSpool(name: "that gets another name", first: ["in": "a"], later: [(.seconds(20), ["other": "a"])]),
    MovedSpool(
      name: "that goes, and is back under another name", first: ["in": "a"],
      later: [(.seconds(20), ["beside": "b"]), (.seconds(120), ["other": "a"])]),
    MovedSpool(
      name: "that is back under another name after a restart", first: ["in": "a"],
      later: [(.seconds(20), ["beside": "b"]), (.seconds(120), ["other": "a"])], restarts: [.seconds(90)]),
    MovedSpool(
      name: "that swaps its name with another one", first: ["in": "a", "other": "b"],
      later: [(.seconds(20), ["in": "b", "other": "a"])]),
    MovedSpool(
      name: "whose name another directory gets", first: ["in": "a"],
      later: [(.seconds(20), ["in": "b", "other": "a"])]),
    MovedSpool(
      name: "whose name another directory gets before it is back", first: ["in": "a"],
      later: [(.seconds(20), ["in": "b"]), (.seconds(120), ["in": "b", "other": "a"])]),
    MovedSpool(
      name: "that is back under another name, and then under its own", first: ["in": "a"],
      later: [
        (.seconds(20), ["in": "b"]), (.seconds(120), ["in": "b", "other": "a"]), (.seconds(150), ["in": "a"]),
      ], restarts: [.seconds(130), .seconds(160)]),
  ]

  func faults(_ runner: ScenarioRunner) -> [String] {
    (SpoolPlan.Kind.allCases.map { ($0, false) } + [(.plain, true)]).flatMap { kind, archives in
      let scenario = scenario(of: kind, archives: archives)
      let outcome = runner.run(scenario)
      let unregistered = scenario.drops.count - outcome.registered.count
      let missing = unregistered == 0 ? [] : ["\(unregistered) files are not registered"]
      return (outcome.violations + missing).map { "\(kind.rawValue)\(archives ? ", archived" : ""): \($0)" }
    }
  }

  /// The daemon dies in a release, and its spool has another name when it is started again. So the release cannot be finished, and
  /// must not hold the job for good.
  static var cutRelease: Scenario { cutRelease([(.seconds(20), ["other": "a"]), (.seconds(60), ["in": "a"])]) }

  /// The same where the spool is away when the daemon is started again, and its name goes while the release waits for it. The reload
  /// ends the release then, and not only whoever puts the name back.
  static func cutReleaseOfAbsent(_ runner: ScenarioRunner) -> [String] {
    var scenario = cutRelease([(.seconds(60), ["beside": "b"]), (.seconds(120), ["in": "a"])])
    scenario.timeline += [
      Moment(at: .seconds(20), .moveSpool(directory: "spools/a", isAway: true)),
      Moment(at: .seconds(90), .moveSpool(directory: "spools/a", isAway: false)),
    ]
    scenario.timeline.sort { $0.at < $1.at }
    let outcome = runner.run(scenario)
    let isEnded = outcome.history.contains { $0.hasSuffix("was not released: spool.in is no longer configured") }
    return outcome.violations + (isEnded ? [] : ["the reload does not end the release"])
  }

  private static func cutRelease(_ later: [(at: Duration, spools: Spools)]) -> Scenario {
    func configuration(_ spools: Spools) -> ConfigurationPlan { .one(0).with(spools, .plain, archives: false) }
    let down = Trouble(spells: [Spell(.refusesConnections, from: .zero, until: .seconds(60))])
    var scenario = Scenario(
      seed: 1, configuration: configuration(["in": "a"]),
      servers: Servers(
        ConfigurationPlan.one(0).servers([Trouble(), down], end: .seconds(300)), epoch: 1_795_000_000),
      timeline: [
        Moment(at: .seconds(5), .drop(Drop(number: 1, spool: "spools/a", name: "file-1", size: 100))),
        Moment(at: .seconds(10), .command(.cancel, .ofFile(1))),
        Moment(at: .seconds(15), .command(.release, .ofFile(1))),
      ] + later.map { Moment(at: $0.at, .configure(configuration($0.spools))) },
      crashes: [Crash(.failpoint(Failpoint.releaseCommitted.rawValue, pass: 1), pause: .seconds(10))],
      troubleEnd: .seconds(300))
    scenario.wishes = [Wish("file-1", .released)]
    return scenario
  }

  private func scenario(of kind: SpoolPlan.Kind, archives: Bool) -> Scenario {
    let plan = ConfigurationPlan.one(0)
    func configuration(_ spools: Spools) -> ConfigurationPlan { plan.with(spools, kind, archives: archives) }
    let down = Trouble(spells: [Spell(.refusesConnections, from: .zero, until: .seconds(60))])
    let drops = (1...3).map { number in
      let drop: Drop.Kind =
        switch kind {
        case .plain, .recursive: .single
        case .sidecar: .withSidecar(sidecarFirst: true)
        case .group: .group(files: 3)
        }
      return Moment(
        at: .seconds(5),
        .drop(
          Drop(
            number: number, spool: "spools/a", folder: kind == .recursive ? "deep/" : "", name: "file-\(number)",
            kind: drop, manner: kind == .plain ? .linked : .direct, size: 100)))
    }
    // What is written to after its upload becomes a job of the spool that it is in by then.
    let writes = kind == .plain ? [Moment(at: .seconds(30), .append(file: 1, size: 10))] : []
    let changes = later.map { Moment(at: $0.at, .configure(configuration($0.spools))) }
    let timeline =
      [Moment(at: .seconds(1), .configure(configuration(first)))] + drops + writes + changes
      + restarts.map { Moment(at: $0, .restart) }
    // In the end it is as the timeline leaves it, and so it was before: nothing is set right.
    return configuration(later[later.count - 1].spools).scenario(
      [Trouble(), down], timeline.sorted { $0.at < $1.at }, end: .seconds(300))
  }
}

extension ConfigurationPlan {
  fileprivate func with(_ spools: MovedSpool.Spools, _ kind: SpoolPlan.Kind, archives: Bool) -> ConfigurationPlan {
    var plan = self
    plan.spools = spools.map { name, directory in
      SpoolPlan(
        name: name, directory: "spools/\(directory)", kind: kind, storage: storages[0].name, backend: backends[0].name,
        archives: archives)
    }
    return plan
  }
}
