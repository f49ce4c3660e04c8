import ChildProcesses
import ControlAPI
import PostgreSQL
import Testing

@testable import Fleet

/// A queued job says what holds it.
@Suite(.serialized, .needs(.postgreSQL))
struct FleetHoldTests {
  private static func status(_ pauses: [HoldMessage], holdsSpool: Bool) -> StatusMessage {
    StatusMessage(
      version: "1", uptime: .seconds(1), activity: .init(upload: 0, register: 0), counts: [:], pauses: pauses,
      spools: [
        SpoolMessage(
          name: "documents", path: "/spool", watch: "inotify", readiness: [], lastScan: nil, oldestWaiting: nil,
          holder: HolderMessage(host: "b", since: nil, here: holdsSpool))
      ])
  }

  /// Its spool is another host's; that is no pause, which a person could end.
  @Test func standbyHoldsQueuedJob() async throws {
    try await FleetSchemaTests.withTables { server in
      let store = try await FleetSchemaTests.fill(server)
      let anna = try PostgreSQLSession(server.database("anna"))
      func held() throws -> String? {
        try FleetView.jobs(anna, FleetFilter(), limit: 9).jobs.first?.job.heldBy?.destination
      }
      #expect(try held() == "all")
      try await store.beat(Self.status([], holdsSpool: false), trouble: nil, names: true)
      #expect(try held() == "standby.documents")
      #expect(try FleetView.holds(anna).isEmpty)
      try await store.beat(
        Self.status([HoldMessage(destination: "spool.documents", reason: "paused")], holdsSpool: true), trouble: nil,
        names: true)
      #expect(try held() == "spool.documents")
      #expect(try FleetView.holds(anna).map(\.hold.destination) == ["spool.documents"])
      try await store.beat(Self.status([], holdsSpool: true), trouble: nil, names: true)
      #expect(try held() == nil)
    }
  }
}
