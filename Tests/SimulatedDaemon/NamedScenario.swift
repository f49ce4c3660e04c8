import Linux
import Seams
package import Simulation

/// A scenario that was written by hand, with a name.
package struct NamedScenario {
  package let name: String
  /// True if it takes more than a few seconds.
  package let isLong: Bool
  package let scenario: Scenario?
  /// Runs it, and returns what must not be and was.
  package let run: (ScenarioRunner) -> [String]

  package static var all: [NamedScenario] {
    [
      NamedScenario(name: "an outage that changes its kind", outageThatChanges),
      NamedScenario(name: "a spool that is back with what was claimed in it", spoolThatIsBack),
      NamedScenario(name: "a start with the clock of a month ago", clockOfAMonthAgo),
      NamedScenario(name: "a clock that is a month behind for some minutes", MonthBehind.scenario),
      NamedScenario(name: "a backend that grants no upload for a while", granted(backend: outage)),
      NamedScenario(name: "granted uploads, and a storage in trouble", granted(storage: outage)),
      NamedScenario(
        name: "grants that are over before the bytes are there",
        granted(storage: [Spell(.isSlow(Latency(base: .seconds(3))), from: .zero, until: .seconds(60))], seconds: 2)),
      NamedScenario(
        name: "a disk that is full for an hour", fullDisk(from: .milliseconds(5800), errorsUntil: .milliseconds(5750))),
      NamedScenario(
        name: "starts on a disk that is full",
        fullDisk(
          from: .milliseconds(5200), [Moment(at: .seconds(60), .restart)], crashes: [.at(.linkCommitting, pass: 5)])),
      NamedScenario(name: "a release that a crash cut, of a spool with another name by then", MovedSpool.cutRelease),
      NamedScenario(
        name: "a release that a crash cut, of a spool that is away and then goes", MovedSpool.cutReleaseOfAbsent),
    ]
      + Fairness.troubles.map { name, trouble in
        NamedScenario(name: "two destinations, and one \(name)") { Fairness.faults(of: trouble, $0) }
      }
      + (1...6).map { seed in
        NamedScenario(name: "spools, storages and backends, some of them in trouble: \(seed)") {
          Crowd.faults(of: UInt64(seed), $0)
        }
      }
      + LateRefusal.allCases.map { change in
        NamedScenario(name: "a refusal that comes after a change: \(change)") { change.faults($0) }
      }
      + LostClaim.scenarios + LostClaim.damages
      + MovedSpool.all.map { spool in NamedScenario(name: "a spool \(spool.name)") { spool.faults($0) } }
      + Night.courses.map { course in
        NamedScenario(name: "a night of \(course.name)") { runner in
          Night.Side.allCases.flatMap { Night.faults(of: course.spells, at: $0, runner) }
        }
      }
      + [
        NamedScenario(name: "a slow destination, and eight slots", isLong: true) {
          Fairness.faults(of: .isSlow(Latency(base: .seconds(40))), slots: 8, $0)
        },
        NamedScenario(name: "answers where nothing is left to send to", BulkAnswers.faults),
        NamedScenario(name: "a backend that errs in a tenth", isLong: true) {
          Pace.faults(of: Pace.erring(permille: 100, latency: .milliseconds(200), files: 1500, best: 128), $0)
        },
        NamedScenario(name: "a backend that errs in a fiftieth", isLong: true) {
          Pace.faults(of: Pace.erring(permille: 20, latency: .seconds(1), files: 4000, best: 256), $0)
        },
        NamedScenario(name: "a backend that is slow and well", isLong: true) {
          Pace.faults(of: Pace.erring(permille: 0, latency: .seconds(1), files: 4000, best: 256), $0)
        },
        NamedScenario(name: "a backend that takes few", isLong: true) { Pace.faults(of: Pace.narrow, $0) },
        NamedScenario(name: "a card for which the list has no room", isLong: true) {
          $0.run(Scenario.fullList).violations
        },
        NamedScenario(name: "large files, and a storage that takes few", isLong: true) {
          Pace.faults(of: Pace.large, $0)
        },
      ]
  }

  private init(name: String, isLong: Bool = false, _ run: @escaping (ScenarioRunner) -> [String]) {
    self.name = name
    self.isLong = isLong
    scenario = nil
    self.run = run
  }

  init(name: String, _ scenario: Scenario) {
    self.name = name
    isLong = false
    self.scenario = scenario
    run = { $0.run(scenario).violations }
  }

  /// The backend refuses connections, then its balancer answers, then all is well. A gate that only one kind of wait could reopen
  /// would keep the others for ever.
  private static var outageThatChanges: Scenario {
    scenario(backend: Trouble(spells: outage), drops: 3, crashes: [.at(.receiptCommitting)])
  }

  private static let outage = [
    Spell(.refusesConnections, from: .seconds(1), until: .seconds(60)),
    Spell(
      .answers(status: 503, permille: 1000, retryAfter: .absent, actsPermille: 0), from: .seconds(60),
      until: .seconds(90)),
  ]

  /// The backend grants the uploads. It is asked before each of them, and told of it after that.
  private static func granted(storage: [Spell] = [], backend: [Spell] = [], seconds: Int = 60) -> Scenario {
    let later = ConfigurationPlan.one(0).drop(100, at: .seconds(65))
    var scenario = scenario(
      storage: Trouble(spells: storage), backend: Trouble(spells: backend), drops: 12, [later],
      crashes: [.at(.linkCommitting)])
    scenario.configuration.storages[0].grantor = scenario.configuration.backends[0].name
    scenario.configuration.storages[0].grantSeconds = seconds
    return scenario
  }

  /// What is claimed is handed over to the ledger, which cannot take it for a while. The spool's thread has nothing to do meanwhile.
  private static var spoolThatIsBack: Scenario {
    let down = Trouble(spells: [Spell(.refusesConnections, from: .zero, until: .seconds(200))])
    return scenario(
      backend: down, drops: 20,
      [
        Moment(at: .seconds(60), .moveSpool(directory: "spools/in-0", isAway: true)),
        Moment(at: .seconds(62), .fillDisk(true)),
        Moment(at: .seconds(63), .moveSpool(directory: "spools/in-0", isAway: false)),
        Moment(at: .seconds(180), .fillDisk(false)),
      ])
  }

  /// The clock is set back while the daemon runs, so the next one counts from another time.
  private static var clockOfAMonthAgo: Scenario {
    var scenario = scenario(
      storage: Trouble(spells: [
        Spell(
          .answers(status: 500, permille: 1000, retryAfter: .absent, actsPermille: 0), from: .zero, until: .seconds(60))
      ]), drops: 1,
      [Moment(at: .seconds(1), .moveWallClock(by: .seconds(-30 * 86_400))), Moment(at: .seconds(14), .restart)])
    scenario.configuration.daemon.delays = [30, 30, 30]
    return scenario
  }

  /// Files come, answers arrive and jobs come due while nothing can be written to the ledger.
  private static func fullDisk(
    from begin: Duration, errorsUntil: Duration = .zero, _ moments: [Moment] = [], crashes: [Crash] = []
  ) -> Scenario {
    let errors = Spell(
      .answers(status: 500, permille: 1000, retryAfter: .absent, actsPermille: 0), from: .zero, until: errorsUntil)
    var scenario = scenario(
      backend: Trouble(spells: [errors]), drops: 30,
      [Moment(at: begin, .fillDisk(true)), Moment(at: .seconds(3600), .fillDisk(false))] + moments, crashes: crashes)
    scenario.troubleEnd = .seconds(4000)
    return scenario
  }

  private static func scenario(
    storage: Trouble = Trouble(), backend: Trouble = Trouble(), drops: Int, _ moments: [Moment] = [],
    crashes: [Crash] = []
  ) -> Scenario {
    let plan = ConfigurationPlan.one(0)
    let dropped = (1...drops).map { plan.drop($0, at: .seconds(5) + .milliseconds(40 * $0)) }
    var scenario = plan.scenario(
      [storage, backend], (dropped + moments).sorted { $0.at < $1.at }, end: .seconds(300))
    scenario.crashes = crashes
    return scenario
  }
}

/// No destination's trouble slows the jobs of another one.
enum Fairness {
  /// The time by which a file may be later than without the other one's trouble.
  static let patience = Duration.seconds(5)
  private static let end = Duration.seconds(900)

  static let troubles: [(name: String, Condition)] = [
    ("refuses connections", .refusesConnections), ("drops packets", .dropsPackets),
    ("is silent", .isSilent(actsPermille: 0)), ("refuses keys", .refusesKeys),
    ("is slow", .isSlow(Latency(base: .seconds(40)))),
    ("loses connections", .loses(beforePermille: 500, afterPermille: 300)),
    ("answers 500", .answers(status: 500, permille: 1000, retryAfter: .absent, actsPermille: 0)),
    ("answers 503 now and then", .answers(status: 503, permille: 400, retryAfter: .seconds(1), actsPermille: 0)),
    ("sends pages", .answersWithPage(status: 502)),
  ]

  static func faults(of trouble: Condition, slots: Int? = nil, _ runner: ScenarioRunner) -> [String] {
    let calm = runner.run(scenario(Trouble(end: end), slots))
    let other = runner.run(scenario(Trouble(spells: [Spell(trouble, from: .zero, until: end)], end: end), slots))
    return calm.violations + other.violations + late(than: calm, other, "well")
  }

  /// Returns which files of a prefix are registered later than in a calm run, in words.
  static func late(
    than calm: ScenarioRunner.Outcome, _ other: ScenarioRunner.Outcome, _ prefix: String
  ) -> [String] {
    let late = calm.registered.filter { $0.key.hasPrefix(prefix) }
      .map { name, at in (name: name, late: (other.registered[name] ?? .seconds(1_000_000)) - at) }
      .filter { $0.late > patience }
    guard let worst = late.max(by: { ($0.late, $1.name) < ($1.late, $0.name) }) else { return [] }
    return ["\(late.count) files are registered later than without the others' trouble: \(worst.name) by \(worst.late)"]
  }

  private static func scenario(_ trouble: Trouble, _ slots: Int?) -> Scenario {
    var well = ConfigurationPlan.one(0)
    well.daemon.concurrency = slots
    let ill = ConfigurationPlan.one(1)
    let servers = well.servers([Trouble(), Trouble()], end: end) + ill.servers([trouble, trouble], end: end)
    let spools = [well.spools[0].directory, ill.spools[0].directory]
    well.storages += ill.storages
    well.backends += ill.backends
    well.spools += ill.spools
    let timeline = (0..<300).map { number in
      Moment(
        at: .seconds(5) + .milliseconds(500 * number),
        .drop(
          Drop(
            number: number + 1, spool: spools[number % 3 == 0 ? 0 : 1],
            name: "\(number % 3 == 0 ? "well" : "ill")-\(number).bin", manner: .renamedIn, size: 100)))
    }
    return well.scenario(of: servers, timeline, end: end)
  }
}

extension ConfigurationPlan {
  static func one(_ number: Int) -> ConfigurationPlan {
    var storage = Storage(name: "s\(number)", host: "s\(number).storage.example")
    storage.bucket = "bucket-\(number)"
    return ConfigurationPlan(
      storages: [storage], backends: [Backend(name: "b\(number)", host: "b\(number).backend.example")],
      spools: [
        SpoolPlan(
          name: "in-\(number)", directory: "spools/in-\(number)", storage: "s\(number)", backend: "b\(number)")
      ])
  }

  func drop(_ number: Int, at time: Duration, size: Int = 100) -> Moment {
    Moment(
      at: time, .drop(Drop(number: number, spool: spools[0].directory, name: "file-\(number).bin", size: size)))
  }

  /// What befalls it, with the troubles of its storage and its backend.
  func scenario(_ troubles: [Trouble], _ timeline: [Moment], end: Duration) -> Scenario {
    scenario(of: servers(troubles, end: end), timeline, end: end)
  }

  func scenario(of servers: [Server], seed: UInt64 = 1, _ timeline: [Moment], end: Duration) -> Scenario {
    Scenario(
      seed: seed, configuration: self, servers: Servers(servers, epoch: 1_795_000_000), timeline: timeline,
      troubleEnd: end)
  }

  func servers(_ troubles: [Trouble], end: Duration) -> [Server] {
    var troubles = troubles
    for index in troubles.indices { troubles[index].end = end }
    return [
      Server(host: storages[0].host, .storage(ModelStorage(.init(bucket: storages[0].bucket))), trouble: troubles[0]),
      Server(host: backends[0].host, .backend(ModelBackend()), trouble: troubles[1]),
    ]
  }
}
