import Simulation

/// What a destination waits for comes while its refusal is on the way: the file is sent at once, not at the gate's next time.
enum LateRefusal: CaseIterable {
  case storageKey, backendToken, settings, network

  /// The servers take so long to answer.
  private static let latency = Duration.seconds(4)
  /// The change comes, so long before the refusal.
  private static let change = Duration.seconds(7)
  /// The refusal is there by then, and the next answer soon after. The gate alone would wait for half a minute.
  private static let registered = Duration.seconds(28)
  private static let end = Duration.seconds(300)

  func faults(_ runner: ScenarioRunner) -> [String] {
    let outcome = runner.run(scenario)
    let late = outcome.registered.filter { $0.value > Self.registered }
    return outcome.violations + late.sorted { $0.key < $1.key }.map { "\($0.key) is registered after \($0.value)" }
  }

  private var scenario: Scenario {
    let plan = ConfigurationPlan.one(0)
    var moved = ConfigurationPlan.one(1)
    let slow = Trouble(latency: Latency(base: Self.latency))
    var servers = plan.servers([slow, slow], end: Self.end) + moved.servers([slow, slow], end: Self.end)
    let (storage, backend) = (plan.storages[0].host, plan.backends[0].host)
    func key(_ host: String) -> [Moment] {
      let second = "key-2-of-\(host)"
      return [
        Moment(at: .seconds(1), .changeKeyAtServer(host: host, to: second)),
        Moment(at: Self.change, .changeKeyFile(host: host, to: second)),
      ]
    }
    var moments: [Moment]
    switch self {
    case .storageKey: moments = key(storage)
    case .backendToken:
      // The uploads take no time, so that the registrations are what is on the way.
      servers[0].trouble = Trouble()
      moments = key(backend)
    case .settings:
      servers[0].trouble.spells = [Spell(.hasWrongCertificate, from: .zero, until: Self.end)]
      moved.storages[0].name = plan.storages[0].name
      moved.storages[0].bucket = plan.storages[0].bucket
      moved.backends = plan.backends
      moved.spools = plan.spools
      servers[2].storage = ModelStorage(.init(bucket: plan.storages[0].bucket))
      servers.swapAt(0, 2)  // the books look at the first that has the bucket
      moments = [Moment(at: Self.change, .configure(moved))]
    case .network:
      servers[0].trouble.spells = [Spell(.refusesConnections, from: .zero, until: Self.change)]
      moments = [Moment(at: Self.change, .changeNetwork)]
    }
    // One is on the way when the change comes; the next is sent with what is new, and so has it read.
    let drops = [(1, Duration.seconds(5)), (2, Self.change + .milliseconds(500))].map { number, time in
      Moment(
        at: time,
        .drop(
          Drop(number: number, spool: plan.spools[0].directory, name: "file-\(number)", manner: .renamedIn, size: 100)))
    }
    return plan.scenario(of: servers, (moments + drops).sorted { $0.at < $1.at }, end: Self.end)
  }
}
