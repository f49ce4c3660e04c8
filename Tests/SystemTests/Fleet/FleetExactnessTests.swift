import ChildProcesses
import Foundation
import Glibc
import Testing

@testable import Harness

/// Eight daemons under load, where agents, daemons and PostgreSQL are killed at random, and a ledger is restored: in the end the fleet's
/// tables are what each daemon says of itself.
///
/// `WAYBILL_TEST_FLEET_SECONDS` makes it longer, and `WAYBILL_TEST_FLEET_SEED` gives another order (`make torture-fleet`).
@Suite(.slot, .needs(.postgreSQL))
struct FleetExactnessTests {
  /// Every eighth registration is refused: a question.
  private static let faults: JSONValue = [
    "register": [
      "statuses": .array((0..<4000).map { .number($0 % 8 == 7 ? 422 : 201) }), "latency_ms": 10,
    ]
  ]

  @Test func tablesConvergeAfterKills() async throws {
    var random = SplitMix64(seed: FleetSize.seed)
    try await withFleet(
      FleetSize.number("WAYBILL_FLEET_HOSTS", 8), faults: Self.faults,
      {
        $0.concurrency = 4; $0.daemonLines += ["history = \"5s\""]
      }
    ) { rig in
      let half = Duration.seconds(FleetSize.seconds) / 2
      let first = try await Self.storm(rig, for: half, &random)
      let restored = rig.hosts.randomElement(using: &random) ?? rig.hosts[0]
      try await Self.restore(restored, in: rig)
      let kills = try await Self.storm(rig, for: half, &random, names: 10_000) + first
      #expect(kills > 0)
      for host in rig.hosts {
        try await until("\(host.name) to rest") {
          let counts = try await host.daemon.status().counts
          return ["queued", "active", "deferred"].allSatisfy { counts[$0] == 0 }
        }
      }
      try await rig.untilExact()
    }
  }

  /// Drops files and kills at random, and returns the number of kills.
  private static func storm(
    _ rig: FleetRig, for time: Duration, _ random: inout SplitMix64, names from: Int = 0
  ) async throws -> Int {
    let deadline = ContinuousClock.now + time
    var (dropped, kills) = (from, 0)
    while ContinuousClock.now < deadline {
      for host in rig.hosts {
        for _ in 0..<Int.random(in: 0...3, using: &random) {
          dropped += 1
          try host.drop("f\(dropped).pdf")
        }
      }
      let host = rig.hosts.randomElement(using: &random) ?? rig.hosts[0]
      switch Int.random(in: 0..<12, using: &random) {
      case 0...2:
        try await host.killAgent()
        try host.startAgent()
        kills += 1
      case 3, 4:
        try await host.daemon.kill()
        try await host.daemon.start()
        kills += 1
      case 5:
        try await rig.server.stopAtOnce()
        try await rig.server.start()
        kills += 1
      case 6:
        // there may be nothing to ask for
        _ = try? await rig.server.ask(
          "confirm", where: "host.name = '\(host.name)' AND job.state = 'awaiting-confirmation'")
      default: try await Task.sleep(for: .milliseconds(Int.random(in: 20...200, using: &random)))
      }
    }
    return kills
  }

  /// Goes back to a backup that is older than what the fleet has, with the agent at work.
  private static func restore(_ host: FleetHost, in rig: FleetRig) async throws {
    let config = host.daemon.setup.config.path
    let backup = rig.folder.appending(path: "backup").path
    try await Command.require([Products.daemon, "ledger", "backup", "--config", config, backup])
    try host.drop("after-backup.pdf")
    try await until("the file after the backup") {
      let state = try await host.daemon.newestJob(named: "after-backup.pdf")?.state
      return state == "registered" || state == "awaiting-confirmation"
    }
    // The job itself may have left before the agent is there again, after all those kills.
    let last = try await host.daemon.control("GET", "/v1/log?limit=1").json.last.int ?? 0
    let ledger = try await host.daemon.status().ledger_identity.uuid.string ?? ""
    func fleet(_ sql: String) async throws -> String {
      try await rig.sql("\(sql) ledger = '\(ledger)'").trimmingCharacters(in: .newlines)
    }
    try await until("the fleet to have it") {
      try await fleet("SELECT applied >= \(last) FROM waybill.host WHERE") == "t"
    }
    let before = try await fleet("SELECT generation FROM waybill.host WHERE")
    try await host.daemon.kill()
    try await Command.require([Products.daemon, "ledger", "restore", "--config", config, backup])
    try await host.daemon.start()
    #expect(try await host.daemon.waybill("resume", "--recovered").status == 0)
    try await until("the next generation in the fleet") {
      try await fleet("SELECT generation FROM waybill.host WHERE") == String((Int(before) ?? 0) + 1)
    }
    // what the fleet had of the time after the backup is what the daemon says now
    try await rig.untilExact([host])
  }
}
