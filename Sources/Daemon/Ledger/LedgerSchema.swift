import Jobs
import SQLite

/// The tables, by the migrations that made them. A migration that has shipped is never changed.
enum LedgerSchema {
  static let migrations = [
    SchemaMigration(name: "1: jobs, attempts, events", run: makeFirst),
    SchemaMigration(name: "2: facts", run: makeFacts),
    SchemaMigration(name: "3: identity and parcels", run: makeThird),
    SchemaMigration(name: "4: registrations and metadata", run: makeFourth),
    SchemaMigration(name: "5: requests", run: makeFifth),
  ]

  /// The names of the tables that have rows of jobs, with the column of the job's number.
  static let tablesOfJobs = [
    ("job", "number"), ("job_state", "job"), ("stored", "job"), ("registration", "job"), ("disposal", "job"),
    ("answer", "job"), ("multipart", "job"), ("attempt", "job"), ("event", "job"), ("member", "job"),
  ]

  /// Returns true if a newer program wrote the ledger.
  static func isNewer(_ db: Database) throws -> Bool {
    try !SchemaMigration.applied(to: db).isSubset(of: migrations.map(\.name))
  }

  /// Returns true if the ledger has the form of today.
  static func isCurrent(_ db: Database) throws -> Bool {
    try SchemaMigration.applied(to: db).isSuperset(of: migrations.map(\.name))
  }

  /// The conditions of the partial indexes of `job_state`, word for word as queries must have them to use the indexes.
  ///
  /// They are comparisons, not `NOT IN`: for a list of more than two, SQLite fills an ephemeral table at each row it writes.
  enum Condition {
    static let noticed =
      "job_state.state <> 'queued' AND job_state.state <> 'active' AND job_state.state <> 'registered' "
      + "AND job_state.state <> 'discarded'"
    static let undisposed = "job_state.state IN ('registered', 'discarded') AND job_state.disposed_at IS NULL"
    /// It does not name states: every terminal state sets `finished_at`, and leaving one clears it.
    static let unfinished = "job_state.finished_at IS NULL"
    /// The same as ``Job/waitsForCleanup``.
    static let waitsForCleanup =
      "job_state.state = 'queued' AND job_state.step = 'upload' AND job_state.remote IS 'pending'"
    /// The same as ``Job/isLargeUpload``: 1 or 0.
    static let isLargeUpload = "(job_state.step = 'upload' AND job_state.size >= \(Job.leastLarge))"
  }

  /// The second version: what happens to a job that goes well is appended as facts, and nothing is written again.
  ///
  /// `job` has what is fixed at admission, `stored` the link, `registration` the receipt, `disposal` the file's end. A job that
  /// they do not describe has a row of `job_state` with all that changes. So has every job of a first version.
  ///
  /// `began_at` and `ended_at` are of the attempt that gave the fact; they are null for one that has a row of its own in
  /// `attempt`, and whose event has one in `event`. So is `admitted_at`.
  ///
  /// `log` has the events that facts imply, and the attempts that began: a row for each commit. Its key is the sequence of the
  /// last event.
  ///
  /// `event_by` finds what people did. What the daemon does by itself costs it nothing.
  private static func makeFacts(_ db: Database) throws {
    try db.execute(script: "ALTER TABLE job RENAME TO job_before")
    try db.execute(
      script: """
        CREATE TABLE job (
          number INTEGER PRIMARY KEY,
          id BLOB NOT NULL UNIQUE,
          spool TEXT NOT NULL,
          name BLOB NOT NULL,
          path BLOB,
          storage TEXT NOT NULL,
          backend TEXT NOT NULL,
          bucket TEXT NOT NULL,
          key TEXT NOT NULL,
          content_type TEXT NOT NULL,
          metadata TEXT,
          priority INTEGER NOT NULL,
          created_at INTEGER NOT NULL,
          device INTEGER NOT NULL,
          inode INTEGER NOT NULL,
          size INTEGER NOT NULL,
          modified_ns INTEGER NOT NULL,
          changed_ns INTEGER NOT NULL,
          admitted_at INTEGER
        ) STRICT;
        INSERT INTO job SELECT number, id, spool, name, path, storage, backend, bucket, key, content_type, metadata,
          priority, created_at, device, inode, size, modified_ns, changed_ns, NULL FROM job_before ORDER BY number;

        CREATE TABLE job_state (
          job INTEGER PRIMARY KEY,
          spool TEXT NOT NULL,
          priority INTEGER NOT NULL,
          created_at INTEGER NOT NULL,
          revision INTEGER NOT NULL,
          step TEXT NOT NULL,
          state TEXT NOT NULL,
          destination TEXT NOT NULL,
          upload_tries INTEGER NOT NULL,
          register_tries INTEGER NOT NULL,
          attempt_started_at INTEGER,
          updated_at INTEGER NOT NULL,
          device INTEGER NOT NULL,
          inode INTEGER NOT NULL,
          size INTEGER NOT NULL,
          modified_ns INTEGER NOT NULL,
          changed_ns INTEGER NOT NULL,
          may_be_stored INTEGER NOT NULL,
          object_may_be_stale INTEGER NOT NULL,
          delays_spent INTEGER NOT NULL,
          next_attempt_at INTEGER,
          failure_kind TEXT,
          failure_status INTEGER,
          failure_code TEXT,
          failure_words TEXT,
          failure_retry_after INTEGER,
          failure_may_have_acted INTEGER,
          question TEXT,
          asked_at INTEGER,
          release_to TEXT,
          release_by_uid INTEGER,
          release_by_user TEXT,
          remote TEXT,
          finished_at INTEGER,
          disposed_at INTEGER
        ) STRICT;
        INSERT INTO job_state SELECT number, spool, priority, created_at, revision, step, state, destination,
          upload_tries, register_tries, attempt_started_at, updated_at, device, inode, size, modified_ns, changed_ns,
          may_be_stored, object_may_be_stale, delays_spent, next_attempt_at, failure_kind, failure_status,
          failure_code, failure_words, failure_retry_after, failure_may_have_acted, question, asked_at, release_to,
          release_by_uid, release_by_user, remote, finished_at, disposed_at FROM job_before ORDER BY number;

        DELETE FROM sqlite_sequence WHERE name = 'job';
        UPDATE sqlite_sequence SET name = 'job' WHERE name = 'job_before';
        DROP TABLE job_before;
        CREATE INDEX job_queued ON job_state
          (destination, (step = 'upload' AND size >= 8388608), priority DESC, job) WHERE state = 'queued';
        CREATE INDEX job_deferred ON job_state (next_attempt_at) WHERE state = 'deferred';
        CREATE INDEX job_waiting ON job_state (destination, job)
          WHERE state IN ('awaiting-credentials', 'awaiting-network');
        CREATE INDEX job_noticed ON job_state (state, job)
          WHERE state <> 'queued' AND state <> 'active' AND state <> 'registered' AND state <> 'discarded';
        CREATE INDEX job_unfinished ON job_state (spool, created_at) WHERE finished_at IS NULL;
        CREATE INDEX job_undisposed ON job_state (job)
          WHERE state IN ('registered', 'discarded') AND disposed_at IS NULL;
        CREATE INDEX job_releasing ON job_state (job) WHERE release_to IS NOT NULL;

        ALTER TABLE stored ADD COLUMN began_at INTEGER;
        ALTER TABLE stored ADD COLUMN ended_at INTEGER;
        ALTER TABLE registration ADD COLUMN began_at INTEGER;
        ALTER TABLE registration ADD COLUMN ended_at INTEGER;
        CREATE TABLE disposal (
          job INTEGER PRIMARY KEY,
          at INTEGER NOT NULL
        ) STRICT;
        CREATE TABLE log (
          sequence INTEGER PRIMARY KEY,
          at INTEGER NOT NULL,
          entries BLOB NOT NULL
        ) STRICT;
        CREATE INDEX event_by ON event (by_user) WHERE by_user IS NOT NULL;
        """)
  }
}
