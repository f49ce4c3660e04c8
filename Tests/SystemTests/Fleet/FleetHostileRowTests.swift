import ChildProcesses
import Foundation
import PostgreSQL
import Testing

@testable import Fleet
@testable import Harness

/// A host writes its own rows. Whatever it writes there is its own trouble: the other hosts are shown as before.
@Suite(.serialized, .needs(.postgreSQL))
struct FleetHostileRowTests {
  private static let bad = Fleet200.ledger(1)

  /// Two hosts, each with a job that asks, an event, a gate and a command; and the fleet's web server. `bad` sorts first.
  private static func withHosts(
    _ body: (_ server: PostgreSQLServer, _ boss: PostgreSQLSession, _ web: FleetPage) async throws -> Void
  ) async throws {
    try await FleetSchemaTests.withTables { server in
      let folder = try TemporaryFolder()
      let boss = try PostgreSQLSession(server.database())
      for (number, owner, name) in [(1, "one", "bad"), (2, "other", "good")] {
        try boss.execute(
          script: Fleet200.host(number, name: name, owner: owner)
            + Fleet200.job(number, 1, name: "a.pdf", reason: "no", owner: owner) + """
              INSERT INTO waybill.event (ledger, owner, generation, sequence, at, doc)
              VALUES ('\(Fleet200.ledger(number))', '\(owner)', 1, 1, now(), '{"id": 1, "at": "2026-11-21T00:00:00.000Z",
                "event": "question", "message": "Retry?", "job": 1}');
              INSERT INTO waybill.command (batch, ledger, owner, job, revision, action, by_user, expires_at, outcome, words, done_at)
              VALUES ('\(Fleet200.ledger(9))', '\(Fleet200.ledger(number))', '\(owner)', 1, 3, 'cancel', 'anna',
                now() + interval '1 day', 'changed', 'x', now());
              """)
      }
      let web = try await FleetPage(in: folder.url, database: server.database("anna"), lines: [])
      try await body(server, boss, web)
    }
  }

  private static func columns(_ session: PostgreSQLSession) throws -> [(table: String, name: String, type: String)] {
    try session.query(
      """
      SELECT table_name, column_name, data_type FROM information_schema.columns
      WHERE table_schema = 'waybill' AND table_name IN ('host', 'job', 'event', 'command') AND is_generated = 'NEVER'
        AND column_name NOT IN ('ledger', 'owner') AND (table_name <> 'command' OR column_name IN ('outcome', 'words', 'done_at'))
      ORDER BY table_name, ordinal_position
      """
    ).rows.map { ($0.text(0), $0.text(1), $0.text(2)) }
  }

  private static let long = "repeat('x', 200000)"
  private static let text = [
    long, #"E'\x01\x1b[31m\u202e\u2028\n\'\"><script>alert(1)</script>%s{0}\\'"#, "NULL",
  ]
  private static let byType: [String: [String]] = [
    "text": text,
    "timestamp with time zone": [
      "'infinity'", "'-infinity'", "'294276-12-31 23:59:59Z'", "'4713-01-01 00:00:00Z BC'", "'0001-01-01Z'", "NULL",
    ],
    "interval": [
      "'infinity'", "'-infinity'", "'178000000 years'", "'-178000000 years'", "'0'", "'-1 s'", "'0.000001 s'",
      "'2 days'",
    ],
    "bigint": ["9223372036854775807", "-9223372036854775808", "0", "-1", "NULL"],
    "boolean": ["true", "false"],
  ]

  /// Whole documents that are none, or that are too much.
  private static let documents = [
    "'null'", "'true'", "'7'", "'\"x\"'", "'[]'", "'{}'", "'[1]'", "(repeat('[', 5000) || repeat(']', 5000))::jsonb",
    "('{\"state\":' || repeat('[', 5000) || repeat(']', 5000) || '}')::jsonb",
    "jsonb_build_object('x', repeat('x', 10000000))",
    "(SELECT jsonb_object_agg(n, n) FROM generate_series(1, 60000) AS n)",
    "jsonb_build_object('id', repeat('日', 30000), 'state', repeat('日', 30000), 'name', repeat('日', 30000))",
  ]
  /// What readers look for in a document.
  private static let members = [
    "id", "job", "revision", "state", "phase", "step", "spool", "name", "destination", "attempt", "question", "error",
    "size",
    "next_attempt_at", "created_at", "updated_at", "held_by", "released", "at", "event", "message", "reason", "by",
    "version",
    "counts", "problems", "gates", "pauses", "spools", "activity", "ledger_identity",
  ]
  private static let values = [
    "null", "true", "7", "-1", "1.5", "1e400", "9223372036854775808", "\"infinity\"", "\"<script>alert(1)</script>\"",
    "[]", "[7]",
    "[[{}]]", "{}", "{\"text\": 7, \"code\": []}", "{\"text\": \"x\", \"code\": \"x\", \"arguments\": [7]}",
    "[{\"what\": 7}]",
    "{\"queued\": \"many\", \"active\": null}", "{\"queued\": 9223372036854775807, \"active\": 9223372036854775807}",
    "{\"message\": {\"code\": {\"code\": 7}}, \"kind\": [], \"status\": 1e400}",
  ]

  private static func hostile(_ column: String, _ type: String) -> [String] {
    guard type == "jsonb" else { return byType[type] ?? [] }
    return documents
      + members.flatMap { member in values.map { "\(column) || '{\"\(member)\": \($0)}'" } }
  }

  private static func read(_ web: FleetPage, _ what: String) async throws {
    let status = try await web.call("GET", "/v1/status")
    let host = try? status.json.hosts.array.first { $0.host == "good" }
    #expect(
      status.status == 200 && host?.trouble == .null && host?.late == false, "\(what): \(status.body.prefix(2000))")
    for query in ["?host=good", "?host=good&state=awaiting-confirmation"] {
      let jobs = try await web.call("GET", "/v1/jobs" + query)
      let job = try? jobs.json.jobs.array.first { $0.host == "good" }
      #expect(jobs.status == 200 && job?.name == "a.pdf", "\(what): \(jobs.body.prefix(2000))")
    }
    for path in ["/v1/jobs", "/v1/groups", "/v1/log", "/v1/jobs/good:1"] {
      let answer = try await web.call("GET", path)
      #expect(answer.status == 200, "\(what): \(path): \(answer.body.prefix(2000))")
    }
    #expect(try await web.call("GET", "/v1/jobs/bad:1").status != 500, "\(what)")
  }

  /// With the constraints, which refuse most of it; and without them, as in tables that were made before or were opened.
  @Test(arguments: [true, false]) func hostileRowsHideNoOtherHosts(isConstrained: Bool) async throws {
    try await Self.withHosts { server, boss, web in
      if !isConstrained {
        try boss.execute(
          script: """
            DO $$ DECLARE found record; BEGIN
              FOR found IN SELECT conrelid::regclass AS place, conname FROM pg_constraint
                WHERE contype = 'c' AND connamespace = 'waybill'::regnamespace AND coninhcount = 0
              LOOP EXECUTE format('ALTER TABLE %s DROP CONSTRAINT %I', found.place, found.conname); END LOOP;
            END $$
            """)
      }
      let host = try PostgreSQLSession(server.database("one"))
      try await Self.read(web, "as it is")
      var (written, refused): (Int, Set<String>) = (0, [])
      for (table, column, type) in try Self.columns(boss) {
        var values = Self.hostile(column, type)
        try #require(!values.isEmpty, "\(table).\(column) has the type \(type)")
        // other texts than long ones are no matter of constraints
        if isConstrained, type == "text" { values = [Self.long] }
        let old = try boss.query("SELECT \(column)::text FROM waybill.\(table) WHERE ledger = $1", [Self.bad]).first?[0]
        for value in values {
          let what = "\(table).\(column) = \(value)"
          do throws(PostgreSQLError) {
            try host.query("UPDATE waybill.\(table) SET \(column) = \(value) WHERE ledger = '\(Self.bad)'")
          } catch {
            refused.insert("\(table).\(column)")
            // nothing but a constraint refuses a document: what is generated from it never fails
            if type == "jsonb" { #expect(isConstrained && error.sqlState == "23514", "\(what): \(error)") }
            continue
          }
          written += 1
          try await Self.read(web, what)
          try boss.query("UPDATE waybill.\(table) SET \(column) = $2::\(type) WHERE ledger = $1", [Self.bad, old])
        }
      }
      try await Self.read(web, "restored")
      #expect(written > 1000)
      // whatever is there, the tables can be kept
      for table in ["job", "event"] { try boss.query("REINDEX TABLE waybill.\(table)") }
      #expect(try FleetSchema.migrate(boss) == ["nothing to do: version 1"])
      if isConstrained {
        for column in [
          "host.status", "host.seen_at", "host.heartbeat", "host.last", "host.name", "job.doc", "event.doc",
        ] {
          #expect(refused.contains(column), "\(column)")
        }
      }
    }
  }

  /// A host writes any number of rows, with any numbers: the others are shown, what there is of it is bounded, and sums end at the
  /// largest number.
  @Test func rowFloodLeavesRoomForOthers() async throws {
    try await Self.withHosts { server, boss, web in
      let host = try PostgreSQLSession(server.database("one"))
      // as many as it takes to overflow, each with the largest numbers that the constraints let through
      try host.query(
        """
        INSERT INTO waybill.host (ledger, name, heartbeat, status, last)
        SELECT ('00000000-0000-4000-9000-' || lpad(n::text, 12, '0'))::uuid, '!' || n, '1h',
          '{"counts": {"queued": 1000000000000000, "aborted": 1000000000000000, "awaiting-confirmation": 1000000000000000}}',
          1000000000000000 FROM generate_series(1, 10000) AS n
        """)
      // gates and problems, up to the most bytes of a document
      try host.query(
        """
        UPDATE waybill.host SET status = status || jsonb_build_object(
          'gates', (SELECT jsonb_agg(jsonb_build_object('destination', 'storage.' || n, 'reason', 'unavailable'))
            FROM generate_series(1, 10000) AS n),
          'problems', (SELECT jsonb_agg(jsonb_build_object('what', repeat('x', 10000), 'since', '2026-01-01T00:00:00Z', 'remedy', ''))
            FROM generate_series(1, 20) AS n)) WHERE ledger = '\(Self.bad)'
        """)
      // 2000 kinds of questions, each of more jobs than the other host has
      try host.query(
        """
        INSERT INTO waybill.job (ledger, number, revision, doc)
        SELECT '\(Self.bad)', 10 + n, 1, jsonb_build_object('job', 10 + n, 'id', gen_random_uuid(), 'revision', 1, 'spool', 's',
          'size', 9223372036854775807, 'step', 'upload', 'state', 'awaiting-confirmation', 'destination', 'storage.main',
          'error', jsonb_build_object('kind', 'rejected', 'message',
            'reason ' || translate(md5((n % 2000)::text), '0123456789', 'ghijklmnop'))) FROM generate_series(1, 4000) AS n
        """)
      try boss.execute(
        script: """
          UPDATE waybill.job SET doc = doc || '{"error": {"kind": "rejected", "message": "a reason of its own"}}' WHERE owner = 'other'
          """)
      try await Self.read(web, "a flood of rows")
      for path in ["/v1/status", "/v1/groups", "/v1/jobs"] {
        #expect(try await web.call("GET", path).body.utf8.count < 4 << 20, "\(path)")
      }
      #expect(try await web.call("GET", "/v1/groups").body.contains("a reason of its own"))
      // more roles than sums have room for
      try boss.execute(
        script: "UPDATE waybill.host SET owner = 'x' || (random() * 1000)::int WHERE name LIKE '!%'")
      try await Self.read(web, "a flood of roles")
    }
  }

  /// A role that may create in `public` can have nothing of its own run by others.
  @Test func unqualifiedNamesResolveToPostgreSQL() async throws {
    try await Self.withHosts { server, boss, _ in
      try boss.execute(
        script: """
          GRANT CREATE, USAGE ON SCHEMA public TO PUBLIC;
          CREATE TABLE public.seen (who text);
          CREATE FUNCTION public.left(text, bigint) RETURNS text LANGUAGE sql AS 'SELECT ''mine''';
          CREATE FUNCTION public.mine() RETURNS int LANGUAGE sql AS 'SELECT 1';
          """)
      for role in ["postgres", "one", "anna"] {
        let session = try PostgreSQLSession(server.database(role))
        #expect(try session.query("SHOW search_path").first?.text(0) == "pg_catalog, pg_temp")
        #expect(try session.query("SELECT left('abc'::text, 1::bigint::int)").first?.text(0) == "a")
        for sql in ["SELECT mine()", "SELECT * FROM seen", "SELECT left('abc'::text, 1::bigint)"] {
          #expect(throws: PostgreSQLError.self, "\(role): \(sql)") { try session.query(sql) }
        }
      }
      let refused = #expect(throws: FleetSchema.Unfit.self) { try FleetSchema.migrate(boss) }
      #expect(refused?.description.contains("REVOKE CREATE ON SCHEMA public FROM PUBLIC") == true)
      try boss.execute(
        script: "REVOKE CREATE ON SCHEMA public FROM PUBLIC; GRANT CREATE ON SCHEMA public TO waybill_host")
      #expect(throws: FleetSchema.Unfit.self) { try FleetSchema.migrate(boss) }
      try boss.execute(
        script: "REVOKE CREATE ON SCHEMA public FROM waybill_host; GRANT CREATE ON SCHEMA public TO one")
      #expect(throws: FleetSchema.Unfit.self) { try FleetSchema.migrate(boss) }
      try boss.execute(script: "REVOKE CREATE ON SCHEMA public FROM one; GRANT CREATE ON SCHEMA public TO anna")
      // nothing in the tables runs anybody's code: there are no triggers and no rules, and the functions are the owner's, with the rights
      // of who calls them
      for sql in [
        "SELECT count(*) FROM pg_trigger WHERE NOT tgisinternal",
        """
        SELECT count(*) FROM pg_proc WHERE pronamespace = 'waybill'::regnamespace AND (proowner <> 'boss'::regrole OR prosecdef
          OR proconfig IS DISTINCT FROM ARRAY['search_path=pg_catalog, pg_temp'])
        """,
        "SELECT count(*) FROM pg_rules WHERE schemaname = 'waybill'",
        "SELECT count(*) FROM pg_proc WHERE prosecdef AND oid >= 16384",
        // and nothing in constraints, defaults and policies is anybody's own
        """
        SELECT count(*) FROM pg_depend AS d JOIN pg_proc AS p ON d.refclassid = 'pg_proc'::regclass AND d.refobjid = p.oid
        WHERE d.classid IN ('pg_constraint'::regclass, 'pg_attrdef'::regclass, 'pg_policy'::regclass, 'pg_class'::regclass)
          AND p.pronamespace <> 'pg_catalog'::regnamespace
        """,
      ] { #expect(try boss.query(sql).first?.number(0) == 0, "\(sql)") }
      #expect(try FleetSchema.migrate(boss) == ["nothing to do: version 1"])
      try boss.execute(script: "DROP SCHEMA public CASCADE")
      #expect(try FleetSchema.migrate(boss) == ["nothing to do: version 1"])
    }
  }
}
