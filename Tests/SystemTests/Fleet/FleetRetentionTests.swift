import ChildProcesses
import Foundation
import PostgreSQL
import Testing

@testable import Fleet

/// What leaves the database: commands that have come to their end, and all that is known of a host.
@Suite(.serialized, .needs(.postgreSQL))
struct FleetRetentionTests {
  private static func ask(_ server: PostgreSQLServer, _ words: String) async throws -> String {
    let answer = try await FleetSchemaTests.ask(server, "cancel", of: 1, by: words, expires: "1 hour")
    #expect(answer.status == 0, "\(answer)")
    return answer.output.trimmingCharacters(in: .newlines)
  }

  /// A request as it is some days later.
  private static func age(
    _ batch: String, days: Int, isOver: Bool, outcome: String?, in server: PostgreSQLServer
  ) async throws {
    let (asked, end) = ("now() - interval '\(days) days'", "now() \(isOver ? "-" : "+") interval '1 hour'")
    let what = outcome.map { "'\($0)'" } ?? "NULL"
    let answer = try await server.sql(
      """
      UPDATE waybill.command SET asked_at = \(asked), expires_at = \(end), outcome = \(what)
        WHERE batch = '\(batch)';
      """)
    #expect(answer.status == 0, "\(answer)")
  }

  /// The owner of the tables, who is no superuser, drops what is finished and old, and nothing else.
  @Test func finishedRequestsLeaveWithCommands() async throws {
    try await FleetSchemaTests.withTables { server in
      try await FleetSchemaTests.fill(server)
      #expect(try await server.sql("UPDATE waybill.event SET at = now()").status == 0)
      let cases: [(words: String, days: Int, isOver: Bool, outcome: String?)] = [
        ("done", 91, true, "done"), ("done before its time was over", 91, false, "refused"),
        ("never fetched", 91, true, nil), ("open", 91, false, nil), ("half", 91, false, "done"),
        ("done lately", 89, true, "done"), ("never fetched lately", 89, true, nil),
      ]
      for wanted in cases {
        let request = try await Self.ask(server, wanted.words)
        try await Self.age(
          request, days: wanted.days, isOver: wanted.isOver, outcome: wanted.outcome, in: server)
      }
      // of this one, one command is done and another one may still be carried out, which stays
      let half = try await server.sql(
        """
        INSERT INTO waybill.command (batch, ledger, owner, job, revision, action, by_user, asked_at, expires_at)
        SELECT batch, ledger, owner, 2, 1, action, by_user, asked_at, expires_at FROM waybill.command WHERE by_user = 'half'
        """)
      #expect(half.status == 0, "\(half)")

      let session = try PostgreSQLSession(server.database("boss"))
      #expect(try FleetSchema.migrate(session) == ["nothing to do: version 1"])
      #expect(try FleetSchema.migrate(session, forgettingBefore: 90) == ["4 commands dropped"])
      let left = try await server.sql("SELECT by_user FROM waybill.command ORDER BY by_user").output
      #expect(left == "anna\ndone lately\nhalf\nnever fetched lately\nopen\n", "\(left)")
      #expect(try FleetSchema.migrate(session, forgettingBefore: 90) == ["nothing to do: version 1"])
      #expect(try FleetSchema.migrate(session, forgettingBefore: 30) == ["2 commands dropped"])
      // the tables are as closed as before, to their owner too
      let seen = try await server.sql("SELECT by_user FROM waybill.command ORDER BY by_user", as: "boss").output
      #expect(!seen.contains("anna"), "\(seen)")
      #expect(try await server.sql("UPDATE waybill.command SET outcome = 'done' RETURNING id", as: "boss").output == "")
    }
  }

  /// Removes the host of the test, as docs/fleet.md says: the host first, as agents do, so that there is no deadlock.
  private static func forget(_ session: PostgreSQLSession) throws -> Int {
    let hosts = try session.query("DELETE FROM waybill.host WHERE name = 'one'").changed
    for table in ["job", "event"] {
      try session.query("DELETE FROM waybill.\(table) WHERE ledger NOT IN (SELECT ledger FROM waybill.host)")
    }
    return hosts
  }

  @Test func agentAndForgetDoNotDeadlock() async throws {
    try await FleetSchemaTests.withTables { server in
      let mirror = try await FleetSchemaTests.fill(server)
      // the agent's transaction has changed its host and goes on to its jobs
      let agent = try PostgreSQLSession(server.database("one"))
      try agent.query("BEGIN")
      try agent.query("UPDATE waybill.host SET applied = applied")
      let other = try PostgreSQLConnection(server.database("anna"))
      async let forgotten = other.run { try Self.forget($0) }
      try await until("the other one to wait for the agent") {
        try await server.sql("SELECT count(*) FROM pg_stat_activity WHERE wait_event_type = 'Lock'").output == "1\n"
      }
      try agent.query("UPDATE waybill.job SET revision = revision + 1")
      try agent.query("COMMIT")
      #expect(try await forgotten == 1)
      // the agent notices, and would begin again with an empty copy
      await #expect(throws: Mirror.Refused.moved) { try await mirror.beat(nil, trouble: nil) }
      #expect(try await server.sql("SELECT count(*) FROM waybill.job").output == "0\n")
    }
  }
}
