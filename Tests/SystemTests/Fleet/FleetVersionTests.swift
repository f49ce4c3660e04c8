import ChildProcesses
import Foundation
import Testing

@testable import Harness

/// Tables of another version than the program's: missing, next, the one after, and changed while agents are at work.
@Suite(.slot, .needs(.postgreSQL))
struct FleetVersionTests {
  private static func drop(_ rig: FleetRig, _ name: String, _ count: Int = 10) throws {
    for host in rig.hosts { for number in 0..<count { try host.drop("\(name)\(number).pdf") } }
  }

  private static func registered(_ rig: FleetRig, _ count: Int) async throws {
    for host in rig.hosts {
      try await until("\(count) files of \(host.name)") { try await host.daemon.count("registered") == count }
    }
  }

  private static func told(_ rig: FleetRig, _ words: String) async throws {
    for host in rig.hosts {
      try await until("\(host.name) to say: \(words)") { host.agentText.contains(words) }
    }
  }

  @Test func agentsHandleOwnAndNextVersion() async throws {
    try await withFleet(2) { rig in
      try Self.drop(rig, "own")
      try await rig.untilExact()

      // the next version comes while they work: as a migration does, under a lock that they have to wait for
      let change = Task {
        try await rig.sql(
          """
          BEGIN; ALTER TABLE waybill.job ADD COLUMN more text; ALTER TABLE waybill.host ADD COLUMN more text;
          COMMENT ON SCHEMA waybill IS '2'; SELECT pg_sleep(1.5); COMMIT
          """)
      }
      try Self.drop(rig, "next")
      try await Self.registered(rig, 20)
      _ = try await change.value
      try await rig.untilExact()
      // also from their start on
      for host in rig.hosts {
        #expect(try await host.stopAgent() == .exit(0))
        try host.startAgent()
      }
      try Self.drop(rig, "again")
      try await Self.registered(rig, 30)
      try await rig.untilExact()
      #expect(try await rig.fleet("check").status == 0)
      let older = try await Command.run([Products.fleet, "migrate", "--database", rig.server.database()])
      #expect(older.status == 69 && older.errors.contains("newer than this program"), "\(older)")

      // the one after: they stop, say so, and hold up nothing
      _ = try await rig.sql("COMMENT ON SCHEMA waybill IS '3'")
      try await Self.told(rig, "install a newer waybill-fleet on this host")
      try Self.drop(rig, "after")
      try await Self.registered(rig, 40)
      #expect(try await rig.sql("SELECT count(*) FROM waybill.job") == "60\n")
      let check = try await rig.fleet("check")
      #expect(check.status == 69 && check.errors.contains("install a newer"), "\(check)")
      _ = try await rig.sql("COMMENT ON SCHEMA waybill IS '1'")
      try await rig.untilExact()

      // none: they wait for the owner, who makes them while they run
      _ = try await rig.sql("DROP SCHEMA waybill CASCADE")
      try await Self.told(rig, "its owner runs waybill-fleet migrate")
      try Self.drop(rig, "missing")
      try await Self.registered(rig, 50)
      #expect(try await rig.fleet("check").errors.contains("its owner runs waybill-fleet migrate"))
      try await Command.require([Products.fleet, "migrate", "--database", rig.server.database()])
      try await rig.untilExact()
    }
  }
}
