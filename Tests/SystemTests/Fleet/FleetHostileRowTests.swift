import ChildProcesses
import Foundation
import Jobs
import Messages
import PostgreSQL
import Testing

@testable import Fleet

/// A host writes its own rows. Whatever it writes there is its own trouble: the other hosts are shown as before.
@Suite(.serialized, .needs(.postgreSQL))
struct FleetHostileRowTests {
  private static let bad = "00000000-0000-4000-8000-000000000001"
  private static let good = "00000000-0000-4000-8000-000000000002"

  /// Two hosts, each with a job that asks, an event, a gate and a command. `bad` sorts first.
  private static func withHosts(
    _ body: (_ server: PostgreSQLServer, _ boss: PostgreSQLSession, _ batch: String) async throws -> Void
  ) async throws {
    try await FleetSchemaTests.withTables { server in
      let boss = try PostgreSQLSession(server.database())
      let batch = "00000000-0000-4000-8000-000000000009"
      for (ledger, owner, name) in [(bad, "one", "bad"), (good, "other", "good")] {
        try boss.execute(
          script: """
            INSERT INTO waybill.host (ledger, owner, name, heartbeat, allow, version, counts, applied, last, oldest_at)
            VALUES ('\(ledger)', '\(owner)', '\(name)', '1 hour', 'cancel,confirm', '1', '{"awaiting-confirmation": 1}', 1, 2, now());
            INSERT INTO waybill.job (ledger, owner, number, id, revision, spool, name, size, step, state, destination, attempt,
              question, error_kind, error_status, error_message, reason, next_attempt_at, link, created_at, updated_at)
            VALUES ('\(ledger)', '\(owner)', 1, '\(ledger)', 3, 'documents', 'a.pdf', 1, 'upload', 'awaiting-confirmation', 'storage.main',
              1, 'Retry?', 'rejected', 422, 'HTTP 422: no', 'HTTP 422: no', now(), 's3://a/b', now(), now());
            INSERT INTO waybill.event (ledger, owner, generation, sequence, at, event, message, job)
            VALUES ('\(ledger)', '\(owner)', 1, 1, now(), 'question', 'Retry?', 1);
            INSERT INTO waybill.gate (ledger, owner, kind, destination, reason, since, until)
            VALUES ('\(ledger)', '\(owner)', 'gate', 'storage.main', 'unavailable', now(), now());
            INSERT INTO waybill.command (batch, ledger, owner, job, revision, action, by_user, expires_at, outcome, words, done_at)
            VALUES ('\(batch)', '\(ledger)', '\(owner)', 1, 3, 'cancel', 'anna', now() + interval '1 day', 'changed', 'x', now());
            INSERT INTO waybill.command (batch, ledger, owner, job, revision, action, by_user, expires_at)
            VALUES ('\(batch)', '\(ledger)', '\(owner)', 1, 3, 'cancel', 'anna', now() + interval '1 day');
            """)
      }
      try boss.execute(
        script: """
          INSERT INTO waybill.request (batch, action, meant, commands, by_user, expires_at)
          VALUES ('\(batch)', 'cancel', 'x', 4, 'anna', now() + interval '1 day');
          """)
      try await body(server, boss, batch.replacing("-", with: ""))
    }
  }

  /// The columns that a host may write, beside those that say whose the row is.
  private static func columns(_ session: PostgreSQLSession) throws -> [(table: String, name: String, type: String)] {
    try session.query(
      """
      SELECT table_name, column_name, data_type FROM information_schema.columns
      WHERE table_schema = 'waybill' AND table_name IN ('host', 'job', 'event', 'gate', 'command')
        AND column_name NOT IN ('ledger', 'owner') AND (table_name <> 'command' OR column_name IN ('outcome', 'words', 'done_at'))
      ORDER BY table_name, ordinal_position
      """
    ).rows.map { ($0.text(0), $0.text(1), $0.text(2)) }
  }

  private static let long = "repeat('x', 200000)"
  private static let text = [
    long, #"E'\x01\x1b[31m\u202e\u2028\n\'\"><script>alert(1)</script>%s{0}\\'"#, "NULL",
  ]
  private static let hostile: [String: [String]] = [
    "text": text,
    "jsonb": [
      "'null'", "'true'", "'7'", "'\"x\"'", "'[]'", "'{}'", "'[1]'", "'[{\"what\": 7}]'", "'{\"queued\": \"many\"}'",
      "'{\"queued\": null}'", "'{\"queued\": 9223372036854775807, \"active\": 9223372036854775807}'",
      "'{\"queued\": -1}'",
      "'{\"queued\": 1.5}'", "'{\"queued\": 1e400}'", "'{\"queued\": [1]}'",
      "(repeat('[', 5000) || repeat(']', 5000))::jsonb", "jsonb_build_object('x', repeat('x', 1200000))",
    ],
    "timestamp with time zone": [
      "'infinity'", "'-infinity'", "'294276-12-31 23:59:59Z'", "'4713-01-01 00:00:00Z BC'", "'0001-01-01Z'", "NULL",
    ],
    "interval": [
      "'infinity'", "'-infinity'", "'178000000 years'", "'-178000000 years'", "'0'", "'-1 s'", "'0.000001 s'",
      "'2 days'",
    ],
    "bigint": ["9223372036854775807", "-9223372036854775808", "0", "-1", "NULL"],
    "boolean": ["true", "false"],
    "integer": ["2147483647", "-2147483648", "0", "-1", "NULL"],
    "uuid": ["'00000000-0000-0000-0000-000000000000'", "'ffffffff-ffff-ffff-ffff-ffffffffffff'"],
  ]

  /// Reads all that people and programs read.
  private static func read(_ session: PostgreSQLSession, _ batch: String, _ what: String) throws {
    let hosts = try FleetView.hosts(session)
    #expect(hosts.count == 2 && hosts.first { $0.ledger == good }?.trouble == nil, "\(what)")
    #expect(hosts.first { $0.ledger == good }?.isSilent == false, "\(what)")
    #expect(try FleetView.holds(session).contains { $0.ledger == good }, "\(what)")
    var waiting = FleetFilter()
    waiting.states = FleetGroup.waiting
    for filter in [FleetView.questions, waiting, FleetFilter()] {
      let groups = try FleetView.groups(session, filter)
      #expect(groups.contains { $0.someHosts.contains("good") }, "\(what)")
      let jobs = try FleetView.jobs(session, filter, limit: 10)
      #expect(jobs.jobs.contains { $0.ledger == good }, "\(what)")
      for job in jobs.jobs { _ = try FleetView.history(session, of: job) }
    }
    let asked = try #require(try FleetAsked.named(session, batch))
    #expect(try asked.request.progress(session).words.isEmpty == false && FleetAsked.last(session, 5).count == 1)
    #expect(try FleetView.waitingCommands(session).contains { $0.ledger == good }, "\(what)")
    #expect(FleetMetrics.text(try FleetMetrics(session)).contains("host=\"good\""), "\(what)")
    let pages = [
      try Overview(session).markup(for: .person("anna")),
      try JobsPage(session, JobsPage.Query(FormFields(""))).markup(for: .person("anna")),
      try JobsPage(session, JobsPage.Query(FormFields("state=all"))).markup(for: .person("anna")),
      try JobPage(session, "\(good)/1")?.markup(for: .person("anna")), try RequestPage(session, batch)?.markup,
    ]
    for page in pages { #expect(page?.html.contains("<script>alert") == false, "\(what)") }
    #expect(pages[0]?.html.contains("good") == true && pages[1]?.html.contains("good/1") == true, "\(what)")
    _ = try JobPage(session, "\(bad)/1")?.markup(for: .person("anna"))
  }

  /// With the constraints, which refuse most of it; and without them, as in tables that were made before or were opened.
  @Test(arguments: [true, false]) func hostileRowsHideNoOtherHosts(isConstrained: Bool) async throws {
    try await Self.withHosts { server, boss, batch in
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
      let anna = try PostgreSQLSession(server.database("anna"))
      try Self.read(anna, batch, "as it is")
      var (written, refused): (Int, Set<String>) = (0, [])
      for (table, column, type) in try Self.columns(boss) {
        var values = try #require(Self.hostile[type], "\(table).\(column) has the type \(type)")
        // other texts than long ones are no matter of constraints
        if isConstrained, type == "text" { values = [Self.long] }
        for value in values {
          let what = "\(table).\(column) = \(value)"
          let old = try boss.query("SELECT \(column)::text FROM waybill.\(table) WHERE ledger = $1", [Self.bad]).first?[
            0]
          do throws(PostgreSQLError) {
            try host.query("UPDATE waybill.\(table) SET \(column) = \(value) WHERE ledger = '\(Self.bad)'")
          } catch {
            refused.insert("\(table).\(column)")
            continue
          }
          written += 1
          try Self.read(anna, batch, what)
          try boss.query("UPDATE waybill.\(table) SET \(column) = $2::\(type) WHERE ledger = $1", [Self.bad, old])
        }
      }
      try Self.read(anna, batch, "restored")
      #expect(written > 50)
      if isConstrained {
        for column in ["host.counts", "host.problems", "host.seen_at", "host.heartbeat", "host.last", "host.name"] {
          #expect(refused.contains(column), "\(column)")
        }
      }
    }
  }

  /// A host writes any number of rows, with any numbers: the others are shown, what there is of it is bounded, and sums end at the
  /// largest number.
  @Test func rowFloodLeavesRoomForOthers() async throws {
    try await Self.withHosts { server, boss, batch in
      let host = try PostgreSQLSession(server.database("one"))
      // as many as it takes to overflow, each with the largest numbers that the constraints let through
      try host.query(
        """
        INSERT INTO waybill.host (ledger, name, heartbeat, counts, last, problems)
        SELECT ('00000000-0000-4000-9000-' || lpad(n::text, 12, '0'))::uuid, '!' || n, '1h',
          '{"queued": 1000000000000000, "aborted": 1000000000000000, "awaiting-confirmation": 1000000000000000}', 1000000000000000,
          '[]' FROM generate_series(1, 10000) AS n
        """)
      try host.query(
        """
        INSERT INTO waybill.gate (ledger, kind, destination, reason)
        SELECT '\(Self.bad)', 'gate', 'storage.' || n, 'unavailable' FROM generate_series(1, 20000) AS n
        """)
      // 2000 kinds of questions, each of more jobs than the other host has
      try host.query(
        """
        INSERT INTO waybill.job (ledger, number, id, revision, spool, size, step, state, destination, attempt, reason, created_at,
          updated_at)
        SELECT '\(Self.bad)', 10 + n, gen_random_uuid(), 1, 's', 9223372036854775807, 'upload', 'awaiting-confirmation', 'storage.main', 1,
          'reason ' || n % 2000, now(), now() FROM generate_series(1, 4000) AS n
        """)
      try host.query(
        "UPDATE waybill.host SET problems = (SELECT jsonb_agg(jsonb_build_object('what', repeat('x', 20000), 'since', '2026-01-01T00:00:00Z', 'remedy', '')) FROM generate_series(1, 40)) WHERE name = 'bad'"
      )
      try boss.execute(
        script:
          "UPDATE waybill.job SET reason = 'a reason of its own', destination = 'storage.own' WHERE owner = 'other'"
      )
      let anna = try PostgreSQLSession(server.database("anna"))
      let hosts = try FleetView.hosts(anna)
      #expect(hosts.count == 101 && hosts.contains { $0.name == "good" && $0.trouble == nil })
      #expect(hosts.contains { $0.trouble?.contains("keeps 10001 ledgers, of which 100 are shown") == true })
      #expect(try FleetView.holds(anna).count == 1001)
      // a series stands once, also of two destinations that are one as far as they are shown
      try host.query(
        "INSERT INTO waybill.gate (ledger, kind, destination, reason) SELECT '\(Self.bad)', 'gate', '!' || repeat('x', 50000) || n, 'network' FROM generate_series(1, 50) AS n"
      )
      let metrics = FleetMetrics.text(try FleetMetrics(anna))
      let series = metrics.split(separator: "\n").filter { !$0.hasPrefix("#") }.compactMap {
        $0.split(separator: " ").dropLast().joined(separator: " ")
      }
      #expect(series.count > 1000 && Set(series).count == series.count && metrics.utf8.count < 2 << 20)
      let groups = try FleetView.groups(anna, FleetView.questions)
      #expect(groups.count == FleetGroup.most && groups.contains { $0.key.reason == "a reason of its own" })
      let page = try Overview(anna).markup(for: .person("anna")).html
      #expect(page.contains("storage.own") && page.contains(">good</a>") && page.utf8.count < 2 << 20)
      #expect(FleetMetrics.text(try FleetMetrics(anna)).contains("host=\"good\""))
      // more roles than sums have room for
      var many: [Int64] = Array(repeating: 1_000_000_000_000_000, count: 10_000)
      #expect(many.saturatingSum == .max)
      many.removeLast(9000)
      #expect(many.saturatingSum == 1_000_000_000_000_000_000)
      try Self.readMany(boss)
    }
  }

  /// The page of so many hosts as the database has, each of them as large as it may be.
  private static func readMany(_ boss: PostgreSQLSession) throws {
    try boss.execute(
      script: "UPDATE waybill.host SET owner = 'x' || (random() * 1000)::int WHERE name LIKE '!%'")
    let hosts = try FleetView.hosts(boss)
    #expect(hosts.count > 9000)
    let page = Overview(hosts: hosts, holds: [], groups: []).markup(for: .person("anna")).html
    #expect(page.contains("good"))
    var filter = FleetFilter()
    filter.states = FleetGroup.waiting
    _ = try FleetView.groups(boss, filter)
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
      #expect(try FleetSchema.isPublicWritable(boss))
      let refused = #expect(throws: FleetSchema.Unfit.self) { try FleetSchema.migrate(boss) }
      #expect(refused?.description.contains("REVOKE CREATE ON SCHEMA public FROM PUBLIC") == true)
      try boss.execute(
        script: "REVOKE CREATE ON SCHEMA public FROM PUBLIC; GRANT CREATE ON SCHEMA public TO waybill_host")
      #expect(throws: FleetSchema.Unfit.self) { try FleetSchema.migrate(boss) }
      try boss.execute(
        script: "REVOKE CREATE ON SCHEMA public FROM waybill_host; GRANT CREATE ON SCHEMA public TO one")
      #expect(throws: FleetSchema.Unfit.self) { try FleetSchema.migrate(boss) }
      try boss.execute(script: "REVOKE CREATE ON SCHEMA public FROM one; GRANT CREATE ON SCHEMA public TO anna")
      // nothing in the tables runs anybody's code: there are no triggers, no rules and no functions
      for sql in [
        "SELECT count(*) FROM pg_trigger WHERE NOT tgisinternal",
        "SELECT count(*) FROM pg_proc WHERE pronamespace = 'waybill'::regnamespace",
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
