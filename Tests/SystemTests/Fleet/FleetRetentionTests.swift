import ChildProcesses
import PostgreSQL
import Testing

@testable import Fleet

/// What leaves the database: requests that have come to their end, and all that is known of a host.
@Suite(.serialized, .needs(.postgreSQL))
struct FleetRetentionTests {
  private static func ask(_ session: PostgreSQLSession, _ words: String) throws -> FleetRequest {
    var filter = FleetFilter()
    filter.jobs = ["one/1"]
    return try FleetRequest.ask(session, "cancel", of: filter, in: words, by: .init("anna", expiresIn: 3600))
  }

  /// A request as it is some days later.
  private static func age(
    _ request: FleetRequest, days: Int, isOver: Bool, outcome: String?, in server: PostgreSQLServer
  ) async throws {
    let (asked, end) = ("now() - interval '\(days) days'", "now() \(isOver ? "-" : "+") interval '1 hour'")
    let what = outcome.map { "'\($0)'" } ?? "NULL"
    let answer = try await server.sql(
      """
      UPDATE waybill.request SET asked_at = \(asked), expires_at = \(end) WHERE batch = '\(request.batch)';
      UPDATE waybill.command SET asked_at = \(asked), expires_at = \(end), outcome = \(what)
        WHERE batch = '\(request.batch)';
      """)
    #expect(answer.status == 0, "\(answer)")
  }

  /// The owner of the tables, who is no superuser, drops what is finished and old, and nothing else.
  @Test func finishedRequestsLeaveWithCommands() async throws {
    try await FleetSchemaTests.withTables { server in
      try await FleetSchemaTests.fill(server, name: "new and open")
      let anna = try PostgreSQLSession(server.database("anna"))
      let cases: [(words: String, days: Int, isOver: Bool, outcome: String?)] = [
        ("done", 91, true, "done"), ("done before its time was over", 91, false, "refused"),
        ("never fetched", 91, true, nil), ("open", 91, false, nil), ("half", 91, false, "done"),
        ("done lately", 89, true, "done"), ("never fetched lately", 89, true, nil),
      ]
      for wanted in cases {
        let request = try Self.ask(anna, wanted.words)
        try await Self.age(
          request, days: wanted.days, isOver: wanted.isOver, outcome: wanted.outcome, in: server)
      }
      // of this one, one command is done and another one may still be carried out
      let half = try await server.sql(
        """
        INSERT INTO waybill.command (batch, ledger, owner, job, revision, action, by_user, asked_at, expires_at)
        SELECT batch, ledger, owner, 2, 1, action, by_user, asked_at, expires_at FROM waybill.command
        WHERE batch = (SELECT batch FROM waybill.request WHERE meant = 'half')
        """)
      #expect(half.status == 0, "\(half)")

      let session = try PostgreSQLSession(server.database("boss"))
      #expect(try FleetSchema.migrate(session) == ["nothing to do: version 1"])
      #expect(try FleetSchema.migrate(session, forgettingBefore: 90) == ["3 requests with 3 commands dropped"])
      let left = try await server.sql("SELECT meant FROM waybill.request ORDER BY meant").output
      #expect(left == "done lately\nhalf\nnever fetched lately\nnew and open\nopen\n", "\(left)")
      let commands = try await server.sql(
        "SELECT count(*), count(*) FILTER (WHERE batch IN (SELECT batch FROM waybill.request)) FROM waybill.command")
      #expect(commands.output == "6|6\n", "\(commands)")
      #expect(try FleetSchema.migrate(session, forgettingBefore: 90) == ["nothing to do: version 1"])
      #expect(try FleetSchema.migrate(session, forgettingBefore: 30) == ["2 requests with 2 commands dropped"])
      // the tables are as closed as before, to their owner too
      #expect(try FleetSchema.openTables(of: session) == [])
      let seen = try await server.sql("SELECT meant FROM waybill.request ORDER BY meant", as: "boss").output
      #expect(!seen.contains("new and open"), "\(seen)")
      #expect(try await server.sql("UPDATE waybill.command SET outcome = 'done' RETURNING id", as: "boss").output == "")
    }
  }

  /// Whoever asks at the moment in which a host is forgotten asks nobody, also if the host comes back; and none waits for another.
  @Test func requestsToForgottenHostReachNobody() async throws {
    try await FleetSchemaTests.withTables { server in
      try await FleetSchemaTests.fill(server)
      let anna = try PostgreSQLSession(server.database("anna"))
      try anna.query("BEGIN")
      let late = try Self.ask(anna, "late")
      #expect(late.count == 1)
      #expect(try FleetView.forget(try PostgreSQLSession(server.database("anna")), host: "one") == 1)
      try anna.query("COMMIT")
      for (table, rows) in [("host", 0), ("job", 0), ("event", 0), ("gate", 0), ("command", 2), ("request", 2)] {
        #expect(try await server.sql("SELECT count(*) FROM waybill.\(table)").output == "\(rows)\n", "\(table)")
      }
      func check() throws {
        #expect(try FleetView.waitingCommands(anna).isEmpty)
        // and who asked reads it
        let progress = try late.progress(anna)
        #expect(progress.open == 0 && progress.words == "0 of 1 done, 1 of hosts that were forgotten", "\(progress)")
      }
      try check()
      #expect(try Self.ask(anna, "too late").count == 0)
      try await FleetSchemaTests.fill(server)
      #expect(try FleetView.waitingCommands(anna).map(\.commands) == [1], "what is asked from now on")
      #expect(try late.progress(anna).open == 0)
    }
  }

  @Test func agentAndForgetDoNotDeadlock() async throws {
    try await FleetSchemaTests.withTables { server in
      let store = try await FleetSchemaTests.fill(server)
      let anna = try PostgreSQLSession(server.database("anna"))
      #expect(try FleetView.waitingCommands(anna).map(\.commands) == [1])
      #expect(try await server.sql("UPDATE waybill.command SET expires_at = now()").status == 0)
      #expect(try FleetView.waitingCommands(anna).isEmpty, "an expired command waits no longer")
      // the agent's transaction has changed its host and goes on to its jobs
      let agent = try PostgreSQLSession(server.database("one"))
      try agent.query("BEGIN")
      try agent.query("UPDATE waybill.host SET applied = applied")
      let other = try PostgreSQLConnection(server.database("anna"))
      async let forgotten = other.run { try FleetView.forget($0, host: "one") }
      try await until("the other one to wait for the agent") {
        try await server.sql("SELECT count(*) FROM pg_stat_activity WHERE wait_event_type = 'Lock'").output == "1\n"
      }
      try agent.query("UPDATE waybill.job SET revision = revision + 1")
      try agent.query("COMMIT")
      #expect(try await forgotten == 1)
      // the agent notices, and would begin again with an empty copy
      await #expect(throws: MirrorMoved.self) { try await store.beat(nil, trouble: nil, names: true) }
      #expect(try await server.sql("SELECT count(*) FROM waybill.job").output == "0\n")
    }
  }
}
