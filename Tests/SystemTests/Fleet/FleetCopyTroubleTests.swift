import ChildProcesses
import ControlAPI
import ControlTesting
import Fleet
import Settings
import Synchronization
import Testing

/// A daemon that says how it is, but not what changed: its host is not well, and says so.
@Suite(.needs(.postgreSQL))
struct FleetCopyTroubleTests {
  private static let secret = "geheim4711"
  private static let identity = LedgerIdentityMessage(uuid: FleetSchemaTests.ledger, generation: 1)

  /// With `names = false` the daemon's own words, which may name files, are left out. A short refusal is not told.
  @Test func lastingRefusalIsToldUntilItIsOver() async throws {
    try await FleetSchemaTests.withTables { server in
      let isRefusing = Mutex(true)
      let refusals = Mutex(0)
      let reports = Mutex<[FleetAgent.Report]>([])
      let base = InMemoryJobs().operations
      var operations = base
      operations.statusAnswer = {
        var status = try await base.status()
        status.identity = Self.identity
        return status
      }
      operations.changesAnswer = { query in
        if isRefusing.withLock(\.self) {
          refusals.withLock { $0 += 1 }
          throw ProblemDocument(status: 503, detail: "too busy for \(Self.secret)")
        }
        let answer = changesAnswer(FleetSchemaTests.ledger, last: Int(query.after), all: query.seen == nil, seen: "s")
        return try ChangesMessage(bytes: Array(answer.utf8))
      }
      try await withControlServer(operations) { socket in
        var settings = FleetSettings(database: server.database("one"))
        (settings.socket, settings.heartbeat, settings.names) = (socket, .seconds(1), false)
        let agent = FleetAgent(settings, name: "one") { report in
          if report != .progress { reports.withLock { $0.append(report) } }
        }
        let running = Task { try await agent.run() }
        defer { running.cancel() }
        func host(_ column: String) async throws -> String {
          try await server.sql("SELECT \(column) FROM waybill.host").output
        }
        try await until("the host to be in trouble") { try await host("trouble IS NOT NULL") == "t\n" }
        let trouble = try await host("trouble")
        #expect(trouble.contains("its changes are not copied: "), "\(trouble)")
        #expect(!trouble.contains(Self.secret), "\(trouble)")
        #expect(try await host("status <> '{}' AND seen IS NULL") == "t\n", "its state is known")
        isRefusing.withLock { $0 = false }
        try await until("the trouble to be over") {
          try await host("trouble IS NULL AND seen IS NOT NULL") == "t\n"
        }
        let before = refusals.withLock(\.self)
        isRefusing.withLock { $0 = true }
        try await until("a short refusal") { refusals.withLock { $0 >= before + 2 } }
        isRefusing.withLock { $0 = false }
        running.cancel()
        try await running.value
        let told = reports.withLock(\.self)
        guard told.count == 3, case .works = told[0], case .trouble(let words) = told[1], case .works = told[2] else {
          Issue.record("\(told)")
          return
        }
        #expect(words.contains("too busy"))
      }
    }
  }
}
