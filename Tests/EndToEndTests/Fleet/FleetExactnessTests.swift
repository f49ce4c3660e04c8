import ChildProcesses
import Foundation
import Glibc
import Testing

/// Eight daemons under load, where agents, daemons and PostgreSQL are killed at random, a ledger is restored and an agent is away for
/// longer than the log keeps: in the end the fleet's tables are what each daemon says of itself.
///
/// `WAYBILL_FLEET_SECONDS` makes it longer, and `WAYBILL_FLEET_SEED` gives another order (`make torture-fleet`).
@Suite(.slot, .enabled(if: PostgreSQLServer.canRun, "needs PostgreSQL"))
struct FleetExactnessTests {
  private static func number(_ name: String, _ usual: Int) -> Int {
    ProcessInfo.processInfo.environment[name].flatMap { Int($0) } ?? usual
  }

  @Test func whateverIsKilledTheTablesAreExactInTheEnd() async throws {
    let seconds = Self.number("WAYBILL_FLEET_SECONDS", 25)
    var random = SplitMix64(seed: UInt64(Self.number("WAYBILL_FLEET_SEED", 26)))
    // every eighth registration is refused: a question
    let statuses = (0..<4000).map { JSONValue.number($0 % 8 == 7 ? 422 : 201) }
    let faults: JSONValue = ["register": ["statuses": .array(statuses), "latency_ms": 10]]
    try await withFleet(
      Self.number("WAYBILL_FLEET_HOSTS", 8), faults: faults,
      {
        $0.concurrency = 4; $0.daemonLines += ["history = \"5s\""]
      }
    ) { rig in
      let deadline = ContinuousClock.now + .seconds(seconds)
      var (dropped, kills) = (0, 0)
      var hasRestored = false
      let backup = rig.folder.appending(path: "backup").path
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
          _ = try await rig.fleet("confirm", "--host", host.name, "--all", "--yes", "--wait", "0")
        case 7 where !hasRestored && ContinuousClock.now > deadline - .seconds(seconds / 2):
          hasRestored = true
          let config = host.daemon.setup.config.path
          try await Command.require([Products.command, "ledger", "backup", "--config", config, backup])
          try host.drop("after-backup.pdf")
          try await until("the file after the backup") {
            let state = try await host.daemon.newestJob(named: "after-backup.pdf")?.state
            return state == "registered" || state == "awaiting-confirmation"
          }
          try await host.daemon.kill()
          try await Command.require([Products.command, "ledger", "restore", "--config", config, backup])
          try await host.daemon.start()
          #expect(try await host.daemon.waybill("resume", "--recovered").status == 0)
        default: try await Task.sleep(for: .milliseconds(Int.random(in: 20...200, using: &random)))
        }
      }
      #expect(kills > 0)
      for host in rig.hosts {
        try await until("\(host.name) to rest", within: .seconds(120)) {
          let counts = try await host.daemon.status().counts
          return ["queued", "active", "deferred"].allSatisfy { counts[$0] == 0 }
        }
      }
      try await rig.untilExact(within: .seconds(120))
    }
  }
}
