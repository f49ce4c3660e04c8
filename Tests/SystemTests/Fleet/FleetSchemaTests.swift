import ChildProcesses
import ControlAPI
import Foundation
import Messages
import PostgreSQL
import Settings
import Testing

@testable import Fleet

/// The tables in a real PostgreSQL: who may do what with which rows.
@Suite(.serialized, .needs(.postgreSQL))
struct FleetSchemaTests {
  private static let tables = ["host", "job", "event", "command"]

  /// A server whose tables belong to a role that is no superuser, with two hosts and one person.
  static func withTables(_ body: (PostgreSQLServer) async throws -> Void) async throws {
    let folder = try TemporaryFolder()
    let server = try await PostgreSQLServer(in: folder.url.appending(path: "postgres"))
    #expect(
      try await server.sql("CREATE ROLE boss LOGIN CREATEROLE; GRANT CREATE ON DATABASE postgres TO boss").status == 0)
    let boss = try PostgreSQLSession(server.database("boss"))
    _ = try FleetSchema.migrate(boss)
    try boss.execute(
      script: """
        CREATE ROLE one LOGIN IN ROLE \(FleetSchema.hosts); CREATE ROLE other LOGIN IN ROLE \(FleetSchema.hosts);
        CREATE ROLE anna LOGIN IN ROLE \(FleetSchema.operators); CREATE ROLE eva LOGIN IN ROLE \(FleetSchema.viewers);
        """)
    try await body(server)
  }

  static let ledger = "00000000-0000-4000-8000-000000000001"

  @discardableResult
  static func fill(_ server: PostgreSQLServer, name: String = "a.pdf") async throws -> Mirror {
    let connection = try PostgreSQLConnection(server.database("one"))
    var mirror = try await Mirror.open(
      connection, ledger: ledger, session: "s", name: "one", allow: ["cancel"], heartbeat: .seconds(1))
    var text = JSONText()
    text.value(name)
    let quoted = String(decoding: text.bytes, as: UTF8.self)
    let changes = """
      {"ledger":{"uuid":"\(ledger)","generation":1},"reset":false,"events":[{"id":1,"at":"2026-11-21T00:00:00.000Z",
      "event":"gate-opened","message":\(quoted)}],"up_to":1,"last":1,"all":true,"jobs":[],"gone":[],"seen":"s","more":false}
      """
    let page = """
      {"jobs":[{"job":1,"id":"00000000-0000-7000-8000-000000000001","revision":0,"spool":"documents","name":\(quoted),"size":3,
      "step":"upload","state":"queued","destination":"storage.main","updated_at":"2026-11-21T00:00:00.000Z"}],"next":null}
      """
    _ = try await mirror.take(Array(changes.utf8))
    try await mirror.take(page: Array(page.utf8))
    try await mirror.beat(Array(#"{"version":"1","pauses":[{"destination":"all"}]}"#.utf8), trouble: nil)
    #expect(try await ask(server, "cancel", of: 1).status == 0)
    return mirror
  }

  /// Asks the host of ``fill(_:name:)`` for a command, as anna does.
  static func ask(
    _ server: PostgreSQLServer, _ action: String, of job: Int, by person: String = "anna", expires: String = "1 minute"
  ) async throws -> Command {
    try await server.sql(
      """
      INSERT INTO waybill.command (batch, ledger, owner, job, revision, action, by_user, expires_at)
      SELECT gen_random_uuid(), ledger, owner, number, revision, '\(action)', \(Fleet200.quoted(person)),
        now() + interval '\(expires)' FROM waybill.job WHERE ledger = '\(ledger)' AND number = \(job) RETURNING batch
      """, as: "anna")
  }

  @Test func otherHostSeesAndChangesNothing() async throws {
    try await Self.withTables { server in
      _ = try await Self.fill(server)
      let open = try await server.sql(
        """
        SELECT relname FROM pg_class WHERE relnamespace = 'waybill'::regnamespace AND relkind IN ('r', 'p')
          AND NOT (relrowsecurity AND relforcerowsecurity)
        """)
      #expect(open.output == "", "all are closed, to their owner too")
      for table in Self.tables {
        // The owner of the tables sees old events alone, which it deletes by their age.
        #expect(
          try await server.sql("SELECT count(*) FROM waybill.\(table)", as: "boss").output
            == (table == "event" ? "1\n" : "0\n"), "\(table)")
        #expect(try await server.sql("SELECT count(*) FROM waybill.\(table)", as: "anna").output == "1\n", "\(table)")
        #expect(
          ["0\n", ""].contains(try await server.sql("SELECT count(*) FROM waybill.\(table)", as: "other").output))
        for change in ["DELETE FROM waybill.\(table)", "UPDATE waybill.\(table) SET ledger = ledger"] {
          _ = try await server.sql(change, as: "other")
        }
      }
      let asks = """
        INSERT INTO waybill.command (batch, ledger, owner, action, by_user, expires_at)
        VALUES ('\(Self.ledger)', '\(Self.ledger)', 'one', 'discard', 'x', now())
        """
      let position = "'\(Self.ledger)', 's', 1, 1"
      let refused = [
        asks,
        "INSERT INTO waybill.host (ledger, name, heartbeat) VALUES ('\(Self.ledger)', 'x', '1s')",
        "INSERT INTO waybill.job (ledger, number, revision, doc) VALUES ('\(Self.ledger)', 7, 1, '{}')",
        "INSERT INTO waybill.job (ledger, number, revision, doc, owner) VALUES ('\(Self.ledger)', 7, 1, '{}', 'one')",
        "INSERT INTO waybill.event (ledger, generation, sequence, at, doc) VALUES ('\(Self.ledger)', 1, 7, now(), '{}')",
        "SELECT waybill.take(\(position), 's', '\(changesAnswer(Self.ledger, events: [2], last: 2, seen: "t"))')",
        "SELECT waybill.take_page(\(position), 0, 's', '{\"jobs\":[],\"next\":null}')",
        "SELECT waybill.put('\(Self.ledger)', '[{\"job\":7,\"revision\":1}]')",
        "DROP TABLE waybill.job", "CREATE TABLE waybill.x (y int)",
        "SET ROLE one", "SET ROLE waybill_operator", "COMMENT ON SCHEMA waybill IS '9'",
      ]
      for sql in refused {
        #expect(try await server.sql(sql, as: "other").status != 0, "\(sql)")
      }
      for table in Self.tables {
        #expect(try await server.sql("SELECT count(*) FROM waybill.\(table)").output == "1\n", "\(table)")
      }
      // nor may a host ask itself, or a person write what a host says
      for (role, sql) in [
        ("one", asks), ("one", "UPDATE waybill.command SET action = 'discard'"),
        ("anna", "UPDATE waybill.job SET doc = '{}'"), ("anna", "SELECT waybill.json('{}')"),
        ("anna", "UPDATE waybill.command SET outcome = 'done'"),
        ("anna", asks.replacing("'one'", with: "'other'")),
        ("anna", "INSERT INTO waybill.command (asked_by) VALUES ('one')"),
      ] { #expect(try await server.sql(sql, as: role).status != 0, "\(role): \(sql)") }
    }
  }

  @Test func refusesSecondSessionWhileFirstLives() async throws {
    try await Self.withTables { server in
      var mirror = try await Self.fill(server)
      let connection = try PostgreSQLConnection(server.database("one"))
      func open(_ session: String = "t") async throws -> Mirror {
        try await Mirror.open(
          connection, ledger: Self.ledger, session: session, name: "clone", allow: [], heartbeat: .seconds(1))
      }
      await #expect(throws: Mirror.Refused.self) { _ = try await open() }
      _ = try await server.sql("UPDATE waybill.host SET seen_at = now() - interval '4 s'")
      var second = try await open()
      await #expect(throws: Mirror.Refused.moved) { try await mirror.beat(nil, trouble: nil) }
      let stale = Array(changesAnswer(Self.ledger, last: 9, seen: "s").utf8)
      await #expect(throws: Mirror.Refused.moved) { _ = try await mirror.take(stale) }
      _ = try await second.take(stale)
      #expect(second.applied == 9)
      let otherRole = try PostgreSQLConnection(server.database("other"))
      func steal() async throws {
        _ = try await Mirror.open(
          otherRole, ledger: Self.ledger, session: "u", name: "x", allow: [], heartbeat: .seconds(1))
      }
      await #expect(throws: Mirror.Refused.self) { try await steal() }
      _ = try await server.sql("UPDATE waybill.host SET seen_at = now() - interval '4 s'")
      await #expect(throws: (any Error).self, "nor a role's that is silent") { try await steal() }
      #expect(try await server.sql("SELECT owner, session FROM waybill.host").output == "one|t\n")
      // a volume that moved to another machine has its daemon there
      _ = try await open()
      await #expect(throws: Mirror.Refused.self) { _ = try await open("v") }
      try await second.beat(nil, trouble: .fleetDaemonSilent)
      _ = try await open("v")
    }
  }

  /// A connection to a server that only reads, as a standby, is not kept: another one may write by then.
  @Test func leavesServerThatOnlyReads() async throws {
    try await Self.withTables { server in
      let connection = try PostgreSQLConnection(server.database("one"))
      func open() async throws {
        _ = try await Mirror.open(
          connection, ledger: Self.ledger, session: "s", name: "one", allow: [], heartbeat: .seconds(1))
      }
      _ = try await server.sql("ALTER ROLE one SET default_transaction_read_only = on")
      await #expect(throws: PostgreSQLError.self) { try await open() }
      _ = try await server.sql("ALTER ROLE one RESET default_transaction_read_only")
      try await open()
      // one that the server has ended meanwhile is noticed before its use
      _ = try await server.sql(
        "SELECT pg_terminate_backend(pid, 5000) FROM pg_stat_activity WHERE usename = 'one'")
      try await open()
    }
  }

  /// The owner of the tables, who is no superuser, drops old events alone.
  @Test func oldEventsLeave() async throws {
    try await Self.withTables { server in
      let old = """
        INSERT INTO waybill.event (ledger, owner, generation, sequence, at, doc)
        SELECT '\(Self.ledger)', 'one', 0, days, now() - days * interval '1 day', '{}' FROM generate_series(88, 93) AS days
        """
      #expect(try await server.sql(old).status == 0)
      let boss = try PostgreSQLSession(server.database("boss"))
      #expect(try FleetSchema.migrate(boss, forgettingBefore: 90) == ["4 events dropped"])
      #expect(try await server.sql("SELECT count(*) FROM waybill.event").output == "2\n")
    }
  }
}

/// Commands from elsewhere, before and after the daemon is asked.
@Suite struct FleetCommandTests {
  private static func command(
    _ action: String, _ arguments: String = "{}", job: Int64? = 1, isExpired: Bool = false
  ) -> FleetCommand {
    FleetCommand(
      id: 1, job: job, revision: 2, action: action, arguments: Array(arguments.utf8), by: FleetPerson("anna"),
      isExpired: isExpired)
  }

  /// True for a command that is refused without a call.
  private static func isRefused(
    _ command: FleetCommand, allow: Set<FleetSettings.Action> = [.confirm, .cancel, .retry]
  ) -> Bool {
    (try? command.call(allow: allow)) == nil
  }

  @Test func onlyAllowedActionsAreTried() {
    for action in ["confirm", "cancel", "retry"] { #expect(!Self.isRefused(Self.command(action))) }
    for action in ["discard", "release", "remove", "pause", "unheard-of", ""] {
      #expect(Self.isRefused(Self.command(action)), "\(action)")
    }
    #expect(Self.isRefused(Self.command("cancel", #"{"remove":true}"#)))
    #expect(Self.isRefused(Self.command("confirm", job: nil)))
    for action in ["confirm", "cancel", "retry", "discard"] {
      #expect(Self.isRefused(Self.command(action), allow: [.remove]), "\(action)")
    }
    #expect(Self.isRefused(Self.command("confirm", isExpired: true)))
  }

  /// The body of the call has what the daemon takes: the revision that was seen, and the arguments of the command.
  @Test func callsAreThoseOfTheAPI() throws {
    func call(_ action: String, _ arguments: String = "{}", job: Int64? = 1) throws -> String {
      let call = try Self.command(action, arguments, job: job).call(
        allow: [.confirm, .cancel, .retry, .discard, .remove])
      return "\(call.path) \(String(decoding: call.body, as: UTF8.self))"
    }
    #expect(try call("confirm") == #"/v1/jobs/1/confirm {"revision":2}"#)
    // the number may be another job's since the ledger was lost
    var named = Self.command("retry")
    named.jobID = "01a22e74-5d91-7abb-bcb9-af2a4a680f73"
    #expect(try named.call(allow: [.retry]).path == "/v1/jobs/01a22e74-5d91-7abb-bcb9-af2a4a680f73/retry")
    named.jobID = "1"
    #expect(Self.isRefused(named))
    #expect(
      try call("cancel", #"{"remove":true,"reason":"x"}"#)
        == #"/v1/jobs/1/cancel {"reason":"x","remove":true,"revision":2}"#)
  }

  @Test func unknownArgumentsAreRefused() {
    for json in [#"{"to":"/a"}"#, #"{"remove":"yes"}"#, "[]", #"{"reason":"a","reason":"b"}"#] {
      #expect(Self.isRefused(Self.command("cancel", json)), "\(json)")
    }
    #expect(Self.isRefused(Self.command("confirm", #"{"link":"s3://x/y"}"#)))
  }

  @Test func daemonAnswersMapToOutcomes() throws {
    func outcome(_ status: Int, _ json: String, names: Bool = true) -> FleetOutcome? {
      FleetOutcome(status: status, answer: Array(json.utf8), showing: names)
    }
    let kinds = [200, 400, 403, 404, 409, 422, 501].map { outcome($0, #"{"detail":"words"}"#)?.kind }
    #expect(kinds == [.done, .refused, .refused, .refused, .changed, .refused, .refused])
    #expect(outcome(503, "{}") == nil)
    #expect(outcome(500, "<html>")?.said == .fleetUnclear(status: 500))
    let cancelled = #"{"message":"a.pdf cancelled"}"#
    #expect(outcome(200, cancelled)?.said.text == "a.pdf cancelled")
    #expect(outcome(200, cancelled, names: false)?.said.text == "…")
    let changed = outcome(
      409,
      #"{"type":"about:blank","title":"Conflict","status":409,"state":"cancelled","revision":3,"last_change":{"at":"2026-11-21T00:00:00.000Z","by":{"uid":1,"user":"eva"}}}"#
    )
    #expect(changed?.said.text == "it is cancelled since 2026-11-21T00:00:00.000Z by eva (revision 3)")
    // what is stored is read again, whatever its length
    for said in [Message.fleetExpired, .text(String(repeating: "x\0", count: 10_000))] {
      let stored = FleetOutcome(.refused, said).stored
      #expect(stored.count <= 10_000 && Message(stored: stored).text.hasPrefix(String(said.text.prefix(1))))
    }
  }
}
