/// The tables of the first version.
///
/// Each row has its `owner`: the role of the host that wrote it. Row-level security shows a host only its own rows, and FORCE
/// applies it to the owner of the tables too. Rows of a ledger can be written only by the role that has the ledger in `host`.
///
/// A host's state, its jobs and its events are documents, as the daemon's API has them with `texts=coded`. What is searched or
/// sorted by is in columns that are generated from them: as text that is cut, so that no document makes that fail, nor the index.
///
/// The documents that a host writes are bounded. Readers do not rely on that: the owner of the tables may have dropped a constraint.
///
/// A command has the role of the session that asked (`asked_by`), which nobody can forge: no SET ROLE changes it. Nobody may
/// delete a command before it is old, and it is bounded too. The commands that were asked for at once have one `batch`.
extension FleetSchema {
  static let first = """
    CREATE SCHEMA waybill;
    REVOKE ALL ON SCHEMA waybill FROM PUBLIC;
    GRANT USAGE ON SCHEMA waybill TO \(hosts), \(operators), \(viewers);
    COMMENT ON SCHEMA waybill IS '\(version)';

    CREATE TABLE waybill.host (
      ledger uuid PRIMARY KEY,
      owner name NOT NULL DEFAULT current_user,
      name text NOT NULL,
      session text,
      generation bigint NOT NULL DEFAULT 0,
      seen text,
      applied bigint NOT NULL DEFAULT 0,
      last bigint NOT NULL DEFAULT 0,
      version text NOT NULL DEFAULT '',
      status jsonb NOT NULL DEFAULT '{}',
      trouble text,
      allow text NOT NULL DEFAULT '',
      names boolean NOT NULL DEFAULT true,
      heartbeat interval NOT NULL,
      first_seen_at timestamptz NOT NULL DEFAULT now(),
      seen_at timestamptz NOT NULL DEFAULT now(),
      CHECK (generation >= 0 AND \(counted("applied")) AND \(counted("last"))),
      CHECK (heartbeat > interval '0' AND heartbeat <= interval '1 day'),
      CHECK (isfinite(first_seen_at) AND isfinite(seen_at)),
      CHECK (\(bounded("status", bytes: 1_048_576, values: 50_000))
        AND NOT jsonb_path_exists(status, '$.counts.* ? (@.type() != "number")')
        AND NOT jsonb_path_exists(status, '$.counts.* ? (@ < 0 || @ > \(mostCounted))')),
      CHECK (\(short("name", "session", "version", "seen", "trouble", "allow")))
    );

    CREATE TABLE waybill.job (
      ledger uuid NOT NULL,
      number bigint NOT NULL,
      owner name NOT NULL DEFAULT current_user,
      revision bigint NOT NULL,
      doc jsonb NOT NULL,
      id text \(from("doc ->> 'id'")),
      state text \(from("doc ->> 'state'")),
      step text \(from("doc ->> 'step'")),
      spool text \(from("doc ->> 'spool'")),
      name text \(from("doc ->> 'name'", most: 1100)),
      destination text \(from("doc ->> 'destination'")),
      error_kind text \(from("doc #>> '{error,kind}'")),
      error_status text \(from("doc #>> '{error,status}'")),
      alike bigint GENERATED ALWAYS AS (\(alike)) STORED,
      updated_at text GENERATED ALWAYS AS (CASE WHEN doc ->> 'updated_at' ~ '^\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\d\\.\\d{3}Z$'
        THEN doc ->> 'updated_at' END) STORED,
      CHECK (number > 0 AND revision >= 0),
      CHECK (\(bounded("doc", bytes: 100_000, values: 2000))),
      PRIMARY KEY (ledger, number)
    );
    CREATE INDEX job_id ON waybill.job (id, ledger);
    CREATE INDEX job_alike ON waybill.job (alike);
    \(search)
    CREATE INDEX job_open ON waybill.job (state, id, ledger) WHERE state NOT IN ('registered', 'skipped', 'discarded');

    CREATE TABLE waybill.event (
      ledger uuid NOT NULL,
      generation bigint NOT NULL,
      sequence bigint NOT NULL,
      owner name NOT NULL DEFAULT current_user,
      at timestamptz NOT NULL,
      arrived timestamptz NOT NULL DEFAULT clock_timestamp(),
      doc jsonb NOT NULL,
      event text \(from("doc ->> 'event'")),
      job bigint GENERATED ALWAYS AS (CASE WHEN (doc ->> 'job') ~ '^[0-9]{1,18}$' THEN (doc ->> 'job')::bigint END) STORED,
      CHECK (sequence >= 0 AND isfinite(at) AND isfinite(arrived)),
      CHECK (\(bounded("doc", bytes: 100_000, values: 2000))),
      PRIMARY KEY (ledger, generation, sequence)
    );
    CREATE INDEX event_job ON waybill.event (ledger, job) WHERE job IS NOT NULL;
    CREATE INDEX event_at ON waybill.event (at);
    CREATE INDEX event_arrived ON waybill.event (arrived);

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

    \(functions)

    \(security)
    """

  /// More than any host has, and so small that the numbers of all hosts can be added.
  private static let mostCounted = "1000000000000000"

  private static func counted(_ column: String) -> String { "\(column) BETWEEN 0 AND \(mostCounted)" }

  /// The condition that texts are no longer than any that a daemon sends. An absent text fulfils it.
  private static func short(_ columns: String...) -> String {
    columns.map { "coalesce(length(\($0)), 0) <= 100000" }.joined(separator: " AND ")
  }

  /// The condition that a document is an object of a bounded size: in bytes, in depth, and in values at any depth.
  private static func bounded(_ column: String, bytes: Int, values: Int) -> String {
    """
    jsonb_typeof(\(column)) = 'object' AND octet_length(\(column)::text) <= \(bytes)
        AND NOT jsonb_path_exists(\(column), 'strict $.**{17}')
        AND jsonb_array_length(jsonb_path_query_array(\(column), 'strict $.**')) <= \(values)
    """
  }

  private static func from(_ text: String, most: Int = 200) -> String {
    "GENERATED ALWAYS AS (left(\(text), \(most))) STORED"
  }

  /// An index by which names are found in a moment, if the server has the extension that it needs. The extension has a schema of its own,
  /// in which no role but the owner can create.
  private static let search = """
    DO $$ BEGIN
      IF EXISTS (SELECT FROM pg_available_extensions WHERE name = 'pg_trgm') THEN
        CREATE SCHEMA IF NOT EXISTS waybill_search;
        CREATE EXTENSION IF NOT EXISTS pg_trgm SCHEMA waybill_search;
        EXECUTE format('CREATE INDEX job_name ON waybill.job USING gin (name %s.gin_trgm_ops)',
          (SELECT extnamespace::regnamespace FROM pg_extension WHERE extname = 'pg_trgm'));
      END IF;
    END $$;
    """

  /// The least number of a group: no job has a number as large.
  static let leastGroup: Int64 = 1 << 48

  /// The number of a job's group: a hash of what its jobs share, so that it stays the same for as long as there is one.
  private static let alike = """
    ('x' || left(md5(\(["doc ->> 'state'", "doc ->> 'step'", "doc #>> '{error,kind}'", "doc #>> '{error,status}'", reason].map {
      "coalesce(\($0), '-')"
    }.joined(separator: " || chr(31) || "))), 12))::bit(48)::bigint | \(leastGroup)
    """

  /// The code and the arguments of a failure's message, or the beginning of one that has no code, or is long; with `…` for the job's
  /// name and for words with digits in them.
  private static let reason = """
    regexp_replace(replace(left((CASE WHEN jsonb_typeof(doc #> '{error,message}') IN ('object', 'string') THEN
            CASE WHEN (doc #> '{error,message}') ? 'code' AND octet_length((doc #> '{error,message}')::text) <= 4000
              THEN (doc #> '{error,message}') - 'text'
            ELSE jsonb_object(ARRAY['text', left(coalesce(doc #>> '{error,message,text}', doc #>> '{error,message}'), 240)]) END END)::text, 2000),
          coalesce(nullif(btrim((doc -> 'name')::text, '"'), ''), '…'), '…'), '[^ "]*[0-9][^ "]*', '…', 'g')
    """

  /// The conditions on a command of an operator: it is no larger than what hosts read, and it expires.
  private static let asked = """
    length(action) BETWEEN 1 AND 100 AND octet_length(by_user) BETWEEN 1 AND 128
        AND jsonb_typeof(arguments) = 'object' AND octet_length(arguments::text) <= 65536
        AND isfinite(expires_at) AND expires_at <= asked_at + interval '366 days'
    """

  private static func each(_ tables: [String], _ sql: (String) -> String) -> String {
    tables.map(sql).joined(separator: "\n")
  }

  private static let security = """
    GRANT SELECT, INSERT, UPDATE ON waybill.host TO \(hosts);
    GRANT SELECT, INSERT, UPDATE, DELETE ON waybill.job, waybill.event TO \(hosts);
    GRANT SELECT, UPDATE (outcome, words, done_at) ON waybill.command TO \(hosts);
    GRANT SELECT ON ALL TABLES IN SCHEMA waybill TO \(operators), \(viewers);
    GRANT INSERT (batch, ledger, owner, job, revision, action, arguments, by_user, expires_at)
      ON waybill.command TO \(operators);
    GRANT DELETE ON waybill.host, waybill.job, waybill.event TO \(operators);

    \(each(["host", "job", "event", "command"]) { table in """
      ALTER TABLE waybill.\(table) ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
      CREATE POLICY all_see ON waybill.\(table) FOR SELECT TO \(operators), \(viewers) USING (true);
      """ })

    CREATE POLICY own ON waybill.host TO \(hosts) USING (owner = current_user) WITH CHECK (owner = current_user);
    CREATE POLICY operators_forget ON waybill.host FOR DELETE TO \(operators) USING (true);
    \(each(["job", "event"]) { table in """
      CREATE POLICY own ON waybill.\(table) TO \(hosts) USING (owner = current_user) WITH CHECK (owner = current_user
        AND ledger IN (SELECT host.ledger FROM waybill.host WHERE host.owner = current_user));
      CREATE POLICY operators_forget ON waybill.\(table) FOR DELETE TO \(operators)
        USING (ledger NOT IN (SELECT host.ledger FROM waybill.host));
      """ })

    CREATE POLICY own_see ON waybill.command FOR SELECT TO \(hosts) USING (owner = current_user);
    CREATE POLICY own_answer ON waybill.command FOR UPDATE TO \(hosts)
      USING (owner = current_user) WITH CHECK (owner = current_user AND outcome IS NOT NULL);
    CREATE POLICY operators_ask ON waybill.command FOR INSERT TO \(operators) WITH CHECK (asked_by = session_user
      AND owner = (SELECT host.owner FROM waybill.host WHERE host.ledger = command.ledger));

    -- the owner of the tables drops what is old
    \(each(["event", "command"]) { table in """
      CREATE POLICY owner_sees_old ON waybill.\(table) FOR SELECT TO CURRENT_USER USING (\(time(table)) < now() - interval '1 day');
      CREATE POLICY owner_drops ON waybill.\(table) FOR DELETE TO CURRENT_USER USING (\(time(table)) < now() - interval '1 day');
      """ })
    """

  private static func time(_ table: String) -> String { table == "event" ? "at" : "asked_at" }
}
