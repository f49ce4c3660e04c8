import ChildProcesses
import ControlAPI
import Foundation
import Jobs
import Messages
import PostgreSQL
import Settings
import Testing

@testable import Fleet

/// The tables in a real PostgreSQL: who may do what with which rows.
@Suite(.serialized, .needs(.postgreSQL))
struct FleetSchemaTests {
  private static let tables = ["host", "job", "event", "gate", "command", "request"]

  /// A server whose tables belong to a role that is no superuser, with two hosts and one person.
  static func withTables(_ body: (PostgreSQLServer) async throws -> Void) async throws {
    let folder = try TemporaryFolder()
    defer { folder.remove() }
    let server = try await PostgreSQLServer(in: folder.url.appending(path: "postgres"))
    defer { server.cut() }
    #expect(
      try await server.sql("CREATE ROLE boss LOGIN CREATEROLE; GRANT CREATE ON DATABASE postgres TO boss").status == 0)
    let boss = try PostgreSQLSession(server.database("boss"))
    _ = try FleetSchema.migrate(boss)
    for (name, part) in [("one", FleetSchema.Part.host), ("other", .host), ("anna", .operating), ("eva", .viewing)] {
      try boss.execute(script: FleetSchema.grant(name, as: part))
    }
    try await body(server)
  }

  static let ledger = "00000000-0000-4000-8000-000000000001"

  private static func job(_ name: String) -> JobMessage {
    let time = Timestamp(seconds: 1_795_222_923)
    let ticket = Ticket(
      id: JobID(high: 0x7000, low: 0x8000_0000_0000_0001), spool: "documents", name: FileName(name), storage: "main",
      backend: "main", bucket: "b", key: "k", contentType: "t", metadata: [:], priority: 0, createdAt: time)
    let identity = FileIdentity(device: 1, inode: 2, size: 3, modified: 3, changed: 4)
    return JobMessage(Job(number: JobNumber(rawValue: 1), ticket: ticket, identity: identity), path: "/x", heldBy: nil)
  }

  /// A host with one job, one event, one pause and one command.
  @discardableResult
  static func fill(_ server: PostgreSQLServer, name: String = "a.pdf") async throws -> HostStore {
    let connection = try PostgreSQLConnection(server.database("one"))
    let (store, position) = try await HostStore.open(
      connection, ledger: ledger, session: "s", name: "one", allow: ["cancel"], heartbeat: .seconds(1))
    let event = ChangesMessage.Event(
      EventMessage(
        Occurrence(.gateOpened, of: .ledger, at: Timestamp(seconds: 1_795_222_923), message: .text(name), reason: nil)))
    var batch = MirrorPlan.page(after: 0, [job(name)], isLast: true, seen: "s", at: position, last: 1)
    batch.events = [event.stored(names: true)]
    batch.to.generation = 1
    try await store.apply(batch)
    let status = StatusMessage(
      version: "1", uptime: .seconds(1), activity: .init(upload: 0, register: 0), counts: [:],
      pauses: [HoldMessage(destination: "all", reason: "paused")], spools: [])
    try await store.beat(status, trouble: nil, names: true)
    var filter = FleetFilter()
    filter.jobs = ["one/1"]
    let anna = try PostgreSQLSession(server.database("anna"))
    #expect(try FleetRequest.ask(anna, "cancel", of: filter, in: name, by: .init("anna", expiresIn: 60)).count == 1)
    return store
  }

  @Test func otherHostSeesAndChangesNothing() async throws {
    try await Self.withTables { server in
      _ = try await Self.fill(server)
      #expect(try FleetSchema.openTables(of: PostgreSQLSession(server.database())) == [])
      for table in Self.tables {
        #expect(try await server.sql("SELECT count(*) FROM waybill.\(table)", as: "boss").output == "0\n", "\(table)")
        #expect(try await server.sql("SELECT count(*) FROM waybill.\(table)", as: "anna").output == "1\n", "\(table)")
        #expect(
          ["0\n", ""].contains(try await server.sql("SELECT count(*) FROM waybill.\(table)", as: "other").output))
        for change in ["DELETE FROM waybill.\(table)", "UPDATE waybill.\(table) SET ledger = ledger"] {
          _ = try await server.sql(change, as: "other")
        }
      }
      let refused = [
        "INSERT INTO waybill.host (ledger, name, heartbeat) VALUES ('\(Self.ledger)', 'x', '1s')",
        """
        INSERT INTO waybill.job (ledger, number, id, revision, spool, size, step, state, attempt, created_at, updated_at)
        VALUES ('\(Self.ledger)', 7, '\(Self.ledger)', 1, 's', 1, 'upload', 'queued', 0, now(), now())
        """,
        "INSERT INTO waybill.event (ledger, generation, sequence, at, event) VALUES ('\(Self.ledger)', 1, 7, now(), 'x')",
        "INSERT INTO waybill.gate (ledger, kind, destination, reason) VALUES ('\(Self.ledger)', 'gate', 'x', 'x')",
        "INSERT INTO waybill.gate (ledger, kind, destination, reason, owner) VALUES ('\(Self.ledger)', 'gate', 'x', 'x', 'one')",
        """
        INSERT INTO waybill.command (batch, ledger, owner, action, by_user, expires_at)
        VALUES ('\(Self.ledger)', '\(Self.ledger)', 'one', 'discard', 'x', now())
        """,
        "SELECT * FROM waybill.event_other", "DROP TABLE waybill.job", "CREATE TABLE waybill.x (y int)",
        "SET ROLE one", "SET ROLE waybill_operator", "INSERT INTO waybill.fleet_schema VALUES (9)",
      ]
      for sql in refused {
        #expect(try await server.sql(sql, as: "other").status != 0, "\(sql)")
      }
      for table in Self.tables {
        #expect(try await server.sql("SELECT count(*) FROM waybill.\(table)").output == "1\n", "\(table)")
      }
      // nor may a host ask itself, or a person write what a host says
      for (role, sql) in [
        ("one", refused[5]), ("one", "UPDATE waybill.command SET action = 'discard'"),
        ("anna", "UPDATE waybill.job SET state = 'registered'"),
        ("anna", "UPDATE waybill.command SET outcome = 'done'"),
        ("anna", refused[5].replacing("'one'", with: "'other'")),
        ("anna", "INSERT INTO waybill.command (asked_by) VALUES ('one')"),
      ] { #expect(try await server.sql(sql, as: role).status != 0, "\(role): \(sql)") }
    }
  }

  @Test func refusesSecondSessionWhileFirstLives() async throws {
    try await Self.withTables { server in
      let store = try await Self.fill(server)
      let connection = try PostgreSQLConnection(server.database("one"))
      func open() async throws -> HostStore {
        try await HostStore.open(
          connection, ledger: Self.ledger, session: "t", name: "clone", allow: [], heartbeat: .seconds(1)
        ).store
      }
      await #expect(throws: HostStore.Refused.self) { _ = try await open() }
      _ = try await server.sql("UPDATE waybill.host SET seen_at = now() - interval '4 s'")
      let second = try await open()
      await #expect(throws: MirrorMoved.self) { try await store.beat(nil, trouble: nil, names: true) }
      let stale = MirrorBatch(
        from: MirrorPosition(generation: 1, seen: "s"), to: MirrorPosition(generation: 1, applied: 9, seen: "s"),
        last: 9)
      await #expect(throws: MirrorMoved.self) { try await store.apply(stale) }
      try await second.apply(stale)
      let otherRole = try PostgreSQLConnection(server.database("other"))
      await #expect(throws: HostStore.Refused.self) {
        _ = try await HostStore.open(
          otherRole, ledger: Self.ledger, session: "u", name: "x", allow: [], heartbeat: .seconds(1))
      }
    }
  }

  private static let hostile = [
    "'; DROP TABLE waybill.job; --", "$1 \\' \" \n \t", "\u{1B}[31mred\u{7}", "\u{202E}gpj.exe", "{\"a\":1}",
    "ä\u{10FFFF}日",
  ]

  @Test func hostileTextsStayText() async throws {
    try await Self.withTables { server in
      let anna = try PostgreSQLSession(server.database("anna"))
      for text in Self.hostile {
        _ = try await Self.fill(server, name: text)
        var filter = FleetFilter()
        (filter.name, filter.host) = (text, "one")
        #expect(try FleetView.jobs(anna, filter, limit: 10).jobs.map(\.job.name) == [text])
        for field in [\FleetFilter.host, \.spool, \.destination, \.error] {
          var filter = FleetFilter()
          filter[keyPath: field] = text
          #expect(try FleetView.jobs(anna, filter, limit: 10).jobs.isEmpty)
        }
        filter = FleetFilter()
        filter.jobs = [text]
        #expect(try FleetView.jobs(anna, filter, limit: 10).jobs.isEmpty)
        #expect(try FleetView.forget(anna, host: text) == 0)
        let tables = Self.tables.map { "waybill.\($0)" }.joined(separator: ", ")
        #expect(try await server.sql("TRUNCATE \(tables)").status == 0)
      }
    }
  }

  @Test func dropsOldMonthsAndCreatesNew() async throws {
    try await Self.withTables { server in
      let months = try await server.sql("SELECT count(*) FROM pg_inherits WHERE inhparent = 'waybill.event'::regclass")
      #expect(months.output == "14\n")
      #expect(
        try await server.sql(
          """
          CREATE TABLE waybill.event_2020_01 PARTITION OF waybill.event FOR VALUES FROM ('2020-01-01') TO ('2020-02-01');
          ALTER TABLE waybill.event_2020_01 OWNER TO boss
          """
        ).status == 0)
      let boss = try PostgreSQLSession(server.database("boss"))
      #expect(
        try FleetSchema.migrate(boss, forgettingBefore: 90) == [
          "table event_2020_01 closed: it was open to its owner", "event_2020_01 dropped",
        ])
    }
  }
}

/// Commands from elsewhere, before and after the daemon is asked.
@Suite struct FleetCommandTests {
  private static func command(
    _ action: String, _ arguments: FleetCommand.Arguments = .init(), job: Int64? = 1, isExpired: Bool = false
  ) -> FleetCommand {
    FleetCommand(
      id: 1, job: job, revision: 2, action: action, arguments: arguments, by: FleetPerson("anna"), isExpired: isExpired)
  }

  private static func outcome(_ command: FleetCommand) -> FleetOutcome.Kind? {
    if case .failure(let outcome) = command.decide(allow: [.confirm, .cancel, .retry, .pause]) {
      outcome.kind
    } else {
      nil
    }
  }

  @Test func onlyAllowedActionsAreTried() {
    for action in ["confirm", "cancel", "retry"] { #expect(Self.outcome(Self.command(action)) == nil) }
    for action in ["pause", "resume"] {
      #expect(Self.outcome(Self.command(action, .init(target: "storage.main"), job: nil)) == nil)
      #expect(Self.outcome(Self.command(action, .init(target: "storage."), job: nil)) == .refused)
      #expect(Self.outcome(Self.command(action, .init(target: "recovered"), job: nil)) == .refused)
    }
    for action in ["discard", "release", "remove", "unheard-of", ""] {
      #expect(Self.outcome(Self.command(action)) == .refused, "\(action)")
    }
    #expect(Self.outcome(Self.command("cancel", .init(remove: true))) == .refused)
    #expect(Self.outcome(Self.command("confirm", job: nil)) == .refused)
    for action in ["confirm", "cancel", "retry", "discard", "pause", "resume"] {
      if case .success = Self.command(action).decide(allow: [.remove]) { Issue.record("\(action)") }
    }
    #expect(Self.outcome(Self.command("confirm", isExpired: true)) == .expired)
  }

  @Test func daemonAnswersMapToOutcomes() throws {
    func kind(_ status: Int) -> FleetOutcome.Kind? {
      FleetOutcome(ControlError.problem(ProblemDocument(status: status, detail: "words")))?.kind
    }
    #expect([400, 403, 404, 409, 422, 501].map(kind) == [.refused, .refused, .unknown, .changed, .refused, .refused])
    #expect(kind(503) == nil)
    #expect(FleetOutcome(ControlError.noDaemon(socket: "", words: "")) == nil)
  }
}
