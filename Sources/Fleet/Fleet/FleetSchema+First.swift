/// The tables of the first version.
///
/// Each row has its `owner`: the role of the host that wrote it. Row-level security shows a host only its own rows, and FORCE
/// applies it to the owner of the tables too. Rows of a ledger can be written only by the role that has the ledger in `host`.
///
/// The values that a host writes are bounded, so that sums over them do not overflow. Readers do not rely on that: the owner of
/// the tables may have dropped a constraint.
///
/// A request has the role of the session that asked (`asked_by`), which nobody can forge: no SET ROLE changes it. Nobody may
/// delete a request, and it is bounded too.
extension FleetSchema {
  static let first = """
    CREATE SCHEMA waybill;
    REVOKE ALL ON SCHEMA waybill FROM PUBLIC;
    GRANT USAGE ON SCHEMA waybill TO \(hosts), \(operators), \(viewers);

    CREATE TABLE waybill.fleet_schema (
      version int PRIMARY KEY,
      made_at timestamptz NOT NULL DEFAULT now()
    );

    CREATE TABLE waybill.host (
      ledger uuid PRIMARY KEY,
      owner name NOT NULL DEFAULT current_user,
      name text NOT NULL,
      generation bigint NOT NULL DEFAULT 0,
      session text,
      version text NOT NULL DEFAULT '',
      applied bigint NOT NULL DEFAULT 0,
      seen text,
      last bigint NOT NULL DEFAULT 0,
      trouble text,
      counts jsonb NOT NULL DEFAULT '{}',
      problems jsonb NOT NULL DEFAULT '[]',
      oldest_at timestamptz,
      allow text NOT NULL DEFAULT '',
      names boolean NOT NULL DEFAULT true,
      heartbeat interval NOT NULL,
      first_seen_at timestamptz NOT NULL DEFAULT now(),
      seen_at timestamptz NOT NULL DEFAULT now(),
      CHECK (generation >= 0 AND \(counted("applied")) AND \(counted("last"))),
      CHECK (heartbeat > interval '0' AND heartbeat <= interval '1 day'),
      CHECK (isfinite(first_seen_at) AND isfinite(seen_at) AND isfinite(oldest_at)),
      CHECK (jsonb_typeof(counts) = 'object' AND octet_length(counts::text) <= 1048576
        AND NOT jsonb_path_exists(counts, '$.* ? (@.type() != "number")')
        AND NOT jsonb_path_exists(counts, '$.* ? (@ < 0 || @ > \(mostCounted))')),
      CHECK (jsonb_typeof(problems) = 'array' AND octet_length(problems::text) <= 1048576),
      CHECK (\(short("name", "session", "version", "seen", "trouble", "allow")))
    );

    CREATE TABLE waybill.job (
      ledger uuid NOT NULL,
      number bigint NOT NULL,
      owner name NOT NULL DEFAULT current_user,
      id uuid NOT NULL,
      revision bigint NOT NULL,
      spool text NOT NULL,
      name text,
      path text,
      size bigint NOT NULL,
      step text NOT NULL,
      state text NOT NULL,
      destination text,
      attempt int NOT NULL,
      question text,
      question_said text,
      error_kind text,
      error_status int,
      error_code text,
      error_message text,
      error_said text,
      reason text,
      next_attempt_at timestamptz,
      link text,
      released_to text,
      released_by text,
      created_at timestamptz NOT NULL,
      updated_at timestamptz NOT NULL,
      finished_at timestamptz,
      CHECK (number > 0 AND revision >= 0 AND size >= 0 AND attempt >= 0),
      CHECK (isfinite(created_at) AND isfinite(updated_at) AND isfinite(next_attempt_at) AND isfinite(finished_at)),
      CHECK (\(short("spool", "name", "path", "step", "state", "destination", "question")) AND
        \(short("error_kind", "error_code", "error_message", "reason", "link")) AND
        \(short("question_said", "error_said", "released_to", "released_by"))),
      PRIMARY KEY (ledger, number)
    );
    CREATE INDEX job_id ON waybill.job (id);
    CREATE INDEX job_open ON waybill.job (state, ledger, number) WHERE state NOT IN ('registered', 'skipped', 'discarded');
    CREATE INDEX job_reason
      ON waybill.job (state, destination, step, error_kind, error_status, reason, ledger, number)
      WHERE state IN ('awaiting-confirmation', 'aborted', 'deferred', 'awaiting-credentials', 'awaiting-network');

    CREATE TABLE waybill.event (
      ledger uuid NOT NULL,
      generation bigint NOT NULL,
      sequence bigint NOT NULL,
      owner name NOT NULL DEFAULT current_user,
      at timestamptz NOT NULL,
      event text NOT NULL,
      message text,
      message_said text,
      job bigint,
      by_user text,
      reason text,
      reason_said text,
      CHECK (sequence >= 0 AND isfinite(at)),
      CHECK (\(short("event", "message", "by_user", "reason", "message_said", "reason_said"))),
      PRIMARY KEY (ledger, generation, sequence, at)
    ) PARTITION BY RANGE (at);
    CREATE INDEX event_job ON waybill.event (ledger, job) WHERE job IS NOT NULL;
    CREATE TABLE waybill.event_other PARTITION OF waybill.event DEFAULT;

    CREATE TABLE waybill.gate (
      ledger uuid NOT NULL,
      kind text NOT NULL,
      destination text NOT NULL,
      owner name NOT NULL DEFAULT current_user,
      reason text NOT NULL,
      since timestamptz,
      until timestamptz,
      by_user text,
      words text,
      words_said text,
      CHECK (isfinite(since) AND isfinite(until)),
      CHECK (\(short("kind", "destination", "reason", "by_user", "words", "words_said"))),
      PRIMARY KEY (ledger, kind, destination)
    );

    CREATE TABLE waybill.command (
      id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
      batch uuid NOT NULL,
      ledger uuid NOT NULL,
      owner name NOT NULL,
      job bigint,
      revision bigint,
      action text NOT NULL,
      arguments jsonb NOT NULL DEFAULT '{}',
      by_user text NOT NULL,
      asked_by name NOT NULL DEFAULT session_user,
      asked_at timestamptz NOT NULL DEFAULT now(),
      expires_at timestamptz NOT NULL,
      outcome text,
      words text,
      done_at timestamptz,
      CHECK (isfinite(done_at) AND \(short("outcome", "words"))),
      CONSTRAINT asked CHECK (\(asked))
    );
    CREATE INDEX command_open ON waybill.command (ledger, id) WHERE outcome IS NULL;
    CREATE INDEX command_batch ON waybill.command (batch, outcome);

    CREATE TABLE waybill.request (
      batch uuid PRIMARY KEY,
      action text NOT NULL,
      arguments jsonb NOT NULL DEFAULT '{}',
      meant text NOT NULL,
      commands int NOT NULL,
      by_user text NOT NULL,
      asked_by name NOT NULL DEFAULT session_user,
      asked_at timestamptz NOT NULL DEFAULT now(),
      expires_at timestamptz NOT NULL,
      CONSTRAINT asked CHECK (\(asked) AND commands >= 0 AND length(meant) <= 1000)
    );
    CREATE INDEX request_asked ON waybill.request (asked_at);

    \(security)
    """

  /// More than any host has, and so small that the numbers of all hosts can be added.
  private static let mostCounted = "1000000000000000"

  private static func counted(_ column: String) -> String { "\(column) BETWEEN 0 AND \(mostCounted)" }

  /// The condition that texts are no longer than any that a daemon sends. An absent text fulfils it.
  private static func short(_ columns: String...) -> String {
    columns.map { "coalesce(length(\($0)), 0) <= 100000" }.joined(separator: " AND ")
  }

  /// The conditions on a command or a request of an operator: it is no larger than what hosts read, and it expires.
  private static let asked = """
    length(action) BETWEEN 1 AND 100 AND octet_length(by_user) BETWEEN 1 AND 128
        AND jsonb_typeof(arguments) = 'object' AND octet_length(arguments::text) <= 65536
        AND isfinite(expires_at) AND expires_at <= asked_at + interval '366 days'
    """

  private static let security =
    ["fleet_schema", "host", "job", "event", "event_other", "gate", "command", "request"].map {
      "ALTER TABLE waybill.\($0) ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;"
    }.joined(separator: "\n") + """

      GRANT SELECT ON waybill.fleet_schema TO \(hosts), \(operators), \(viewers);
      CREATE POLICY everyone ON waybill.fleet_schema FOR SELECT USING (true);
      CREATE POLICY maker ON waybill.fleet_schema FOR INSERT TO CURRENT_USER WITH CHECK (true);

      GRANT SELECT, INSERT, UPDATE ON waybill.host TO \(hosts);
      CREATE POLICY own ON waybill.host TO \(hosts)
        USING (owner = current_user) WITH CHECK (owner = current_user);
      GRANT SELECT, DELETE ON waybill.host TO \(operators);
      GRANT SELECT ON waybill.host TO \(viewers);
      CREATE POLICY all_see ON waybill.host FOR SELECT TO \(operators), \(viewers) USING (true);
      CREATE POLICY operators_forget ON waybill.host FOR DELETE TO \(operators) USING (true);

      GRANT SELECT, UPDATE (outcome, words, done_at) ON waybill.command TO \(hosts);
      CREATE POLICY own_see ON waybill.command FOR SELECT TO \(hosts) USING (owner = current_user);
      CREATE POLICY own_answer ON waybill.command FOR UPDATE TO \(hosts)
        USING (owner = current_user) WITH CHECK (owner = current_user AND outcome IS NOT NULL);
      GRANT SELECT, INSERT (batch, ledger, owner, job, revision, action, arguments, by_user, expires_at)
        ON waybill.command TO \(operators);
      GRANT SELECT ON waybill.command TO \(viewers);
      CREATE POLICY all_see ON waybill.command FOR SELECT TO \(operators), \(viewers) USING (true);
      CREATE POLICY operators_ask ON waybill.command FOR INSERT TO \(operators) WITH CHECK (asked_by = session_user
        AND owner = (SELECT host.owner FROM waybill.host WHERE host.ledger = command.ledger));

      GRANT SELECT, INSERT (batch, action, arguments, meant, commands, by_user, expires_at)
        ON waybill.request TO \(operators);
      GRANT SELECT ON waybill.request TO \(viewers);
      CREATE POLICY all_see ON waybill.request FOR SELECT TO \(operators), \(viewers) USING (true);
      CREATE POLICY operators_ask ON waybill.request FOR INSERT TO \(operators) WITH CHECK (asked_by = session_user);

      """
    + ["job", "event", "gate"].map { table in
      """
      GRANT SELECT, INSERT, UPDATE, DELETE ON waybill.\(table) TO \(hosts);
      CREATE POLICY own ON waybill.\(table) TO \(hosts) USING (owner = current_user)
        WITH CHECK (owner = current_user
          AND ledger IN (SELECT host.ledger FROM waybill.host WHERE host.owner = current_user));
      GRANT SELECT, DELETE ON waybill.\(table) TO \(operators);
      GRANT SELECT ON waybill.\(table) TO \(viewers);
      CREATE POLICY all_see ON waybill.\(table) FOR SELECT TO \(operators), \(viewers) USING (true);
      CREATE POLICY operators_forget ON waybill.\(table) FOR DELETE TO \(operators)
        USING (ledger NOT IN (SELECT host.ledger FROM waybill.host));
      """
    }.joined(separator: "\n")
}
