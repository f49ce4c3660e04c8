import Jobs
import Seams

/// What every second seed has besides what chance gives it: files of a spool of its own meet a destination that closes its gate, while
/// people give each of their commands. The seeds take turns, so that a hundred of them have each reason with each disposal, kind of spool
/// and seal.
struct Encounter {
  private static let reasons: [(reason: Gate.Reason, condition: Condition)] = [
    (.unavailable, .answers(status: 503, permille: 1000, retryAfter: .absent, actsPermille: 0)),
    (.gateway, .answers(status: 502, permille: 1000, retryAfter: .absent, actsPermille: 0)),
    (.throttled, .answers(status: 429, permille: 1000, retryAfter: .seconds(30), actsPermille: 0)),
    (.credentials, .refusesKeys), (.network, .refusesConnections), (.question, .hasWrongCertificate),
  ]
  private static let forms: [(kind: SpoolPlan.Kind, after: String)] = [
    (.plain, "delete"), (.plain, "archive"), (.plain, "keep"), (.sidecar, "delete"), (.group, "archive"),
  ]
  /// The first file that is refused and asked about, the first that meets the closed gate, the end, and two that come alone.
  private static let files = (asked: 1001, others: 1007, end: 1019, twin: 1019, stranger: 1020)
  /// The times at which refusals give way to the reason, the daemon is killed in some seeds, and the destination is well again.
  private static let times = (reason: Duration.seconds(30), crash: Duration.seconds(34), end: Duration.seconds(80))
  private static let prefix = "met-"

  private let number: Int
  private var round: Int { number / Self.reasons.count }
  private var form: (kind: SpoolPlan.Kind, after: String) { Self.forms[round % Self.forms.count] }

  init?(seed: UInt64) {
    guard seed.isMultiple(of: 2) else { return nil }
    number = Int(seed / 2 % 60_000)
  }

  func join(_ scenario: inout Scenario) {
    let isPlain = form.kind == .plain
    // What was sent is remembered for a time, and for a way to storage and backend.
    if isPlain { scenario.timeline.removeAll(where: \.action.isOfClockDiskOrConfiguration) }
    let (isAtStorage, reason) = (round.isMultiple(of: 2), Self.times.reason)
    // Then the backend in trouble has not granted the uploads.
    let isGranted =
      !isAtStorage && ![1, 2].contains(number % 5) && form.kind != .group && scenario.configuration.mayGrant(at: 0)
    scenario.configuration = extended(scenario.configuration, isGranted)
    for index in scenario.timeline.indices {
      guard case .configure(let plan) = scenario.timeline[index].action else { continue }
      scenario.timeline[index].action = .configure(extended(plan, isGranted))
    }
    let (storage, backend) = (scenario.configuration.storages[0].host, scenario.configuration.backends[0].host)
    for index in scenario.servers.all.indices {
      let host = scenario.servers.all[index].host
      if host == storage, number % 5 < 2 { scenario.servers.all[index].storage?.options.keepsVersions = true }
      guard host == (isAtStorage ? storage : backend) else { continue }
      scenario.servers.all[index].trouble.spells.insert(
        contentsOf: [
          Spell(.refusesJobs(status: isAtStorage ? 400 : 422, permille: 1000, salt: 0), from: .zero, until: reason),
          Spell(Self.reasons[number % Self.reasons.count].condition, from: reason, until: Self.times.end),
        ], at: 0)
    }
    if (number + round).isMultiple(of: 2) { scenario.crashes.insert(Crash(.after(Self.times.crash)), at: 0) }
    if isPlain, form.after == "archive", number % 5 == 4 { fillArchive(of: &scenario) }
    scenario.timeline = (scenario.timeline + drops(until: scenario.troubleEnd) + commands).inOrder
  }

  private func extended(_ plan: ConfigurationPlan, _ isGranted: Bool) -> ConfigurationPlan {
    var plan = plan
    plan.storages[0].grantor = isGranted ? plan.backends[0].name : nil
    var spool = SpoolPlan(
      name: "met", directory: "spools/met", kind: form.kind, storage: plan.storages[0].name,
      backend: plan.backends[0].name, archives: form.after == "archive")
    spool.keeps = form.after == "keep"
    if form.kind == .plain { (spool.skipsDuplicates, spool.prefix) = (true, Self.prefix) }
    plan.spools.append(spool)
    switch number % 5 {
    case 1:
      plan.storages[0].seal = .lock
      // S3 demands a checksum for what is locked.
      if plan.storages[0].checksum == "none" { plan.storages[0].checksum = "sha256" }
    case 2: plan.storages[0].seal = .encryption
    default: break
    }
    return plan
  }

  /// The disk of the archive is full until the end of all trouble, and the other disks are not.
  private func fillArchive(of scenario: inout Scenario) {
    (scenario.isElsewhere, scenario.fullFolder) = (true, "archives")
    scenario.timeline.append(Moment(at: .seconds(20), .fillDisk(true)))
  }

  private func drops(until end: Duration) -> [Moment] {
    var drops = (Self.files.asked..<Self.files.end).map { number in
      let isAsked = number < Self.files.others
      let time = isAsked ? Duration.seconds(2) : Self.times.reason + .seconds(1)
      return drop(number, at: time + .milliseconds(50 * (number - Self.files.asked)))
    }
    guard form.kind == .plain else { return drops }
    // By then the daemon knows what was registered: nothing waits for longer than an hour.
    drops.append(drop(Self.files.twin, at: end + .seconds(3 * 3600)) { $0.sameAs = Self.files.others })
    drops.append(drop(Self.files.stranger, at: .seconds(3)) { $0.name = "other-\($0.number).bin" })
    return drops
  }

  private func drop(_ number: Int, at time: Duration, _ change: (inout Drop) -> Void = { _ in }) -> Moment {
    var drop = Drop(
      number: number, spool: "spools/met", name: "\(Self.prefix)\(number)", manner: .renamedIn, size: 300)
    switch form.kind {
    case .plain, .recursive: drop.name += ".bin"
    case .sidecar: (drop.name, drop.kind) = (drop.name + ".bin", .withSidecar(sidecarFirst: true))
    case .group: drop.kind = .group(files: 2)
    }
    change(&drop)
    return Moment(at: time, .drop(drop))
  }

  /// The second retry comes while the object is being removed.
  private var commands: [Moment] {
    let commands: [(Duration, Action.Command, file: Int)] = [
      (.seconds(44), .cancel, 0), (.seconds(46), .confirm, 1), (.seconds(48), .retry, 2),
      (.seconds(50), .cancelAndRemove, 3), (.milliseconds(50_020), .retry, 3), (.seconds(52), .cancel, 4),
      (.seconds(60), .release, 0), (.seconds(62), .discard, 4), (.seconds(66), .cancel, 5),
    ]
    return commands.map { Moment(at: $0.0, .command($0.1, .ofFile(Self.files.asked + $0.file))) }
  }
}

extension Action {
  fileprivate var isOfClockDiskOrConfiguration: Bool {
    switch self {
    case .moveWallClock, .fillDisk, .configure: true
    default: false
    }
  }
}
