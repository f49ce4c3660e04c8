import ChildProcesses
import ControlAPI
import Foundation
import HTTPTransfer
import Jobs
import PostgreSQL
import Settings
import Testing

@testable import Fleet
@testable import Harness

/// What people ask for stays as they asked for it, with the role that the database vouches for.
@Suite(.serialized, .needs(.postgreSQL))
struct FleetAskedTests {
  private static func ask(_ session: PostgreSQLSession, _ person: String = "anna") throws -> FleetRequest {
    var filter = JobFilter()
    filter.hosts = ["one"]
    var request = try FleetRequest(.cancel(), on: .filter(filter), by: Caller(uid: 0, user: person), session)
    try request.ask(session)
    return request
  }

  private static func commandValues(
    action: String = "'cancel'", arguments: String = "'{}'", by: String = "'anna'",
    until: String = "now() + interval '1 h'"
  ) -> String {
    PostgreSQLServer.asking(
      action, at: FleetSchemaTests.ledger, owner: "one", arguments: arguments, by: by, until: until)
  }

  /// Whoever an operator says that they are, and whatever role they take on, the role of the session stands there.
  @Test func sessionRoleIsRecordedAndImmutable() async throws {
    try await FleetSchemaTests.withTables { server in
      try await FleetSchemaTests.fill(server)
      let boss = try PostgreSQLSession(server.database("boss"))
      try boss.execute(script: "CREATE ROLE mallory LOGIN IN ROLE \(FleetSchema.operators)")
      #expect(try await server.sql("GRANT anna TO mallory").status == 0)
      let mallory = try PostgreSQLSession(server.database("mallory"))
      for role in ["waybill_operator", "anna"] {
        try mallory.query("SET ROLE \(role)")
        #expect(try mallory.query("SELECT current_user").first?.text(0) == role)
        #expect(try Self.ask(mallory, "anna").count == 1)
      }
      try mallory.query("RESET ROLE")
      let rows = try await server.sql("SELECT DISTINCT by_user, asked_by FROM waybill.command ORDER BY 2").output
      #expect(rows == "anna|anna\nanna|mallory\n", "\(rows)")
      for sql in [
        "INSERT INTO waybill.command (asked_by) VALUES ('anna')", "SET SESSION AUTHORIZATION anna",
        "INSERT INTO waybill.command (asked_at) VALUES ('2020-01-01')",
      ] { #expect(throws: PostgreSQLError.self, "\(sql)") { try mallory.query(sql) } }
    }
  }

  /// Neither those who ask nor those who are asked can take back, change or hide what was asked.
  @Test func requestsAndCommandsAreImmutable() async throws {
    try await FleetSchemaTests.withTables { server in
      try await FleetSchemaTests.fill(server)
      for role in ["anna", "one", "other", "eva"] {
        for sql in [
          "DELETE FROM waybill.command", "TRUNCATE waybill.command", "UPDATE waybill.command SET by_user = 'x'",
          "UPDATE waybill.command SET asked_by = 'x'", "UPDATE waybill.command SET expires_at = now()",
          "ALTER TABLE waybill.command DISABLE ROW LEVEL SECURITY", "DROP TABLE waybill.command",
          "DROP POLICY own_see ON waybill.command", "SET ROLE boss",
          "INSERT INTO waybill.command SELECT * FROM waybill.command ON CONFLICT (id) DO UPDATE SET by_user = 'x'",
        ] { #expect(try await server.sql(sql, as: role).status != 0, "\(role): \(sql)") }
      }
      // an operator writes no outcome, and a host takes none back
      #expect(try await server.sql("UPDATE waybill.command SET outcome = 'done'", as: "anna").status != 0)
      #expect(try await server.sql("UPDATE waybill.command SET outcome = 'done'", as: "one").status == 0)
      #expect(try await server.sql("UPDATE waybill.command SET outcome = NULL", as: "one").status != 0)
      #expect(
        try await server.sql("SELECT by_user, asked_by, outcome FROM waybill.command").output == "anna|anna|done\n")
      // what a host says of its jobs goes with the host alone
      for table in ["job", "event"] {
        #expect(try await server.sql("DELETE FROM waybill.\(table)", as: "anna").status == 0)
        #expect(try await server.sql("SELECT count(*) FROM waybill.\(table)").output == "1\n", "\(table)")
      }
      // a privilege that somebody gives leads nowhere: no policy goes with it
      #expect(
        try await server.sql("GRANT ALL ON ALL TABLES IN SCHEMA waybill TO waybill_operator, waybill_host").status == 0)
      for role in ["anna", "one"] { _ = try await server.sql("DELETE FROM waybill.command", as: role) }
      _ = try await server.sql("UPDATE waybill.command SET by_user = 'x'", as: "anna")
      #expect(try await server.sql("SELECT by_user FROM waybill.command").output == "anna\n")
    }
  }

  /// A forgotten host leaves what was asked of it. If it comes back, with the same role or another one, it does none of that.
  @Test(arguments: ["one", "other"]) func forgottenHostsCommandsNeverRun(role: String) async throws {
    try await FleetSchemaTests.withTables { server in
      let mirror = try await FleetSchemaTests.fill(server)
      let anna = try PostgreSQLSession(server.database("anna"))
      var request = try Self.ask(anna)
      try request.refresh(anna)
      #expect(request.open == 1)
      #expect(try await server.sql("DELETE FROM waybill.host WHERE name = 'one'", as: "anna").status == 0)
      func check() throws {
        try request.refresh(anna)
        #expect(request.done == 0)
      }
      try check()
      await #expect(throws: Mirror.Refused.moved) { try await mirror.beat(nil, trouble: nil) }
      let connection = try PostgreSQLConnection(server.database(role))
      _ = try await Mirror.open(
        connection, ledger: FleetSchemaTests.ledger, session: "s", name: "one", allow: ["cancel"],
        heartbeat: .seconds(1))
      try check()
      // the agent is asked for nothing: a call of the daemon would fail, for there is none
      let client = ControlClient(socket: "/nonexistent", transport: try Transport(maxConnections: 1))
      let carrier = CommandCarrier(
        connection: connection, client: client, ledger: FleetSchemaTests.ledger, allow: [.cancel])
      #expect(try await !carrier.step())
      try check()
      // also if it says that it was always there
      let host = try PostgreSQLSession(server.database(role))
      if role == "other" {
        try host.query("UPDATE waybill.host SET first_seen_at = '2020-01-01'")
        #expect(try await !carrier.step())
        try check()
      }
      #expect(try await server.sql("SELECT count(*) FROM waybill.command").output == "2\n")
    }
  }

  /// Everything that an operator may write has an end, and is no more than hosts read.
  @Test func requestsAndCommandsAreBounded() async throws {
    try await FleetSchemaTests.withTables { server in
      try await FleetSchemaTests.fill(server)
      let long = (
        by: "repeat('x', 129)", action: "repeat('x', 101)", json: "jsonb_build_object('reason', repeat('x', 70000))"
      )
      for sql in [
        Self.commandValues(by: long.by), Self.commandValues(by: "''"), Self.commandValues(action: long.action),
        Self.commandValues(arguments: long.json), Self.commandValues(arguments: "'[]'"),
        Self.commandValues(until: "'infinity'"), Self.commandValues(until: "'-infinity'"),
        Self.commandValues(until: "now() + interval '367 days'"),
      ] {
        let answer = try await server.sql(sql, as: "anna")
        #expect(answer.status != 0 && answer.errors.contains("asked"), "\(sql): \(answer)")
      }
      #expect(try await server.sql(Self.commandValues(until: "now() + interval '365 days'"), as: "anna").status == 0)
    }
  }

  /// Commands that name nobody, or that nobody could have seen, are refused, and keep no others from being carried out.
  @Test func invalidCommandsBlockNoOthers() async throws {
    try await withFleet(1, faults: FleetTests.refusing, lines: ["allow = [\"cancel\", \"confirm\"]"]) { rig in
      try await FleetTests.questions(rig, 1)
      let ledger = try await rig.sql("SELECT ledger FROM waybill.host").trimmingCharacters(in: .newlines)
      func ask(_ by: String, revision: String = "1", action: String = "cancel", arguments: String = "{}") async throws {
        let sql = PostgreSQLServer.asking(
          "'\(action)'", at: ledger, revision: revision, arguments: "'\(arguments)'", by: by)
        let answer = try await rig.server.sql(sql, as: "anna")
        #expect(answer.status == 0, "\(answer)")
      }
      // more than one round of the agent takes
      for _ in 0..<12 {
        try await ask(#"E'a\r\nWaybill-On-Behalf-Role: boss'"#)
        try await ask("'anna (fleet, role boss)'")
        try await ask(#"E'\u202Ea'"#)
      }
      for revision in ["9223372036854775807", "-9223372036854775808", "-1"] {
        try await ask("'anna'", revision: revision)
      }
      try await ask("'anna'", arguments: "{\"reason\": 7}")
      try await ask("'anna'", action: "release", arguments: "{\"to\": \"\(String(repeating: "x", count: 60_000))\"}")
      let page = try await FleetPage(rig, lines: ["peer = true"], socket: true)
      let answer = try await page.waybill(["cancel", "host1:1"])
      #expect(answer.status == 0, "\(answer)")
      try await until("all to have an outcome") {
        try await rig.sql("SELECT count(*) FROM waybill.command WHERE outcome IS NULL") == "0\n"
      }
      let outcomes = try await rig.sql(
        "SELECT action, outcome, count(*) FROM waybill.command GROUP BY 1, 2 ORDER BY 1, 2")
      #expect(
        outcomes == "cancel|changed|1\ncancel|done|1\ncancel|refused|39\nrelease|refused|1\n",
        "\(outcomes)")
      let history = try await rig.hosts[0].daemon.job(1).history.array
      #expect(!history.contains { $0.by_user.string?.contains("boss") == true }, "\(history)")
      #expect(history.last?.by_user.string == (try await OwnUser.name) + " (fleet, role anna)", "\(history)")
    }
  }
}
