import SQLite

/// The tables of the first version, as its ledgers have them.
extension LedgerSchema {
  static func makeFirst(_ db: Database) throws {
    for tables in [jobs, receipts, uploads, attempts, events, gates, cleanups] { try db.execute(script: tables) }
  }

  private static let noticed =
    "state <> 'queued' AND state <> 'active' AND state <> 'registered' AND state <> 'discarded'"

  /// One row for each job. The facts fixed at admission come first, then the changing ones.
  ///
  /// AUTOINCREMENT keeps a number from being used again after its row has left the ledger.
  /// Each index serves one frequent query; all are partial, so that done jobs cost nothing.
  private static let jobs = """
    CREATE TABLE job (
      number INTEGER PRIMARY KEY AUTOINCREMENT,
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

      revision INTEGER NOT NULL,
      device INTEGER NOT NULL,
      inode INTEGER NOT NULL,
      size INTEGER NOT NULL,
      modified_ns INTEGER NOT NULL,
      changed_ns INTEGER NOT NULL,
      may_be_stored INTEGER NOT NULL,
      object_may_be_stale INTEGER NOT NULL,
      step TEXT NOT NULL,
      state TEXT NOT NULL,
      destination TEXT NOT NULL,
      upload_tries INTEGER NOT NULL,
      register_tries INTEGER NOT NULL,
      delays_spent INTEGER NOT NULL,
      attempt_started_at INTEGER,
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
      updated_at INTEGER NOT NULL,
      remote TEXT,
      finished_at INTEGER,
      disposed_at INTEGER
    ) STRICT;
    CREATE INDEX job_queued ON job (destination, (step = 'upload' AND size >= 8388608), priority DESC, number)
      WHERE state = 'queued';
    CREATE INDEX job_deferred ON job (next_attempt_at) WHERE state = 'deferred';
    CREATE INDEX job_waiting ON job (destination, number) WHERE state IN ('awaiting-credentials', 'awaiting-network');
    CREATE INDEX job_noticed ON job (state, number) WHERE \(noticed);
    CREATE INDEX job_unfinished ON job (spool, created_at) WHERE finished_at IS NULL;
    CREATE INDEX job_undisposed ON job (number) WHERE state IN ('registered', 'discarded') AND disposed_at IS NULL;
    CREATE INDEX job_releasing ON job (number) WHERE release_to IS NOT NULL;
    """

  /// The receipts of the far sides: a row once a step is done. A row of `answer` has the beginning of the answer that was a
  /// job's last failure, for as long as that is so. They are not in `job`, whose rows are written again and again: its rows
  /// would outgrow their pages and be moved.
  private static let receipts = """
    CREATE TABLE stored (
      job INTEGER PRIMARY KEY,
      link TEXT NOT NULL,
      body BLOB NOT NULL,
      object_size INTEGER,
      object_etag TEXT,
      object_version TEXT,
      object_sha256 TEXT,
      object_checksum_algorithm TEXT,
      object_checksum_type TEXT,
      object_checksum_value TEXT,
      object_crc64nvme TEXT,
      uploaded_at INTEGER
    ) STRICT;
    CREATE TABLE registration (
      job INTEGER PRIMARY KEY,
      status INTEGER NOT NULL,
      location TEXT,
      body TEXT NOT NULL,
      registered_at INTEGER NOT NULL
    ) STRICT;
    CREATE TABLE answer (
      job INTEGER PRIMARY KEY,
      text TEXT NOT NULL
    ) STRICT;
    """

  /// The uploads in parts that storages have begun, until the link is there. `upload_id` is the storage's name for it; then
  /// come the facts of the file for which it was begun.
  private static let uploads = """
    CREATE TABLE multipart (
      job INTEGER PRIMARY KEY,
      upload_id TEXT NOT NULL,
      part_size INTEGER NOT NULL,
      checksum TEXT NOT NULL,
      file_device INTEGER NOT NULL,
      file_inode INTEGER NOT NULL,
      file_size INTEGER NOT NULL,
      file_modified_ns INTEGER NOT NULL,
      file_changed_ns INTEGER NOT NULL
    ) STRICT;
    """

  private static let attempts = """
    CREATE TABLE attempt (
      job INTEGER NOT NULL,
      step TEXT NOT NULL,
      number INTEGER NOT NULL,
      started_at INTEGER NOT NULL,
      ended_at INTEGER NOT NULL,
      outcome TEXT NOT NULL,
      failure_kind TEXT,
      failure_status INTEGER,
      failure_code TEXT,
      failure_words TEXT,
      failure_retry_after INTEGER,
      failure_may_have_acted INTEGER,
      PRIMARY KEY (job, step, number)
    ) STRICT, WITHOUT ROWID;
    """

  /// The events. A job's columns have the values of that time, for those who read the stream later.
  ///
  /// An event that concerns no job has none of them. It has the destination or the spool, and the sentence; the sentence of a
  /// job's event is made from its columns.
  private static let events = """
    CREATE TABLE event (
      sequence INTEGER PRIMARY KEY AUTOINCREMENT,
      job INTEGER,
      at INTEGER NOT NULL,
      kind TEXT NOT NULL,
      step TEXT,
      by_uid INTEGER,
      by_user TEXT,
      reason TEXT,
      job_step TEXT,
      job_state TEXT,
      job_revision INTEGER,
      next_attempt_at INTEGER,
      failure_kind TEXT,
      failure_status INTEGER,
      failure_code TEXT,
      failure_words TEXT,
      failure_retry_after INTEGER,
      failure_may_have_acted INTEGER,
      destination TEXT,
      spool TEXT,
      until INTEGER,
      message TEXT,
      CHECK (job IS NULL OR (step IS NOT NULL AND job_step IS NOT NULL AND job_state IS NOT NULL
        AND job_revision IS NOT NULL)),
      CHECK (job IS NOT NULL OR message IS NOT NULL)
    ) STRICT;
    CREATE INDEX event_job ON event (job);
    """

  /// The gates that are not open, and the pauses. `until` is the time that people see: the clock that does not jump starts anew
  /// with each daemon. `job` is the one that asks, or that is to probe.
  private static let gates = """
    CREATE TABLE gate (
      destination TEXT PRIMARY KEY,
      state TEXT NOT NULL,
      reason TEXT NOT NULL,
      since INTEGER NOT NULL,
      until INTEGER,
      job INTEGER,
      failed_probes INTEGER NOT NULL,
      last_probe INTEGER
    ) STRICT, WITHOUT ROWID;
    CREATE TABLE pause (
      target TEXT PRIMARY KEY,
      since INTEGER NOT NULL,
      by_uid INTEGER NOT NULL,
      by_user TEXT NOT NULL
    ) STRICT, WITHOUT ROWID;
    """

  /// The cleanups that cancelled jobs owe at a storage: a row for as long as it is owed. It has all the facts that it needs,
  /// because it outlives its job. `next_at` is null while a try is in flight, and is set anew at each start.
  private static let cleanups = """
    CREATE TABLE cleanup (
      job INTEGER PRIMARY KEY,
      id BLOB NOT NULL,
      spool TEXT NOT NULL,
      storage TEXT NOT NULL,
      bucket TEXT NOT NULL,
      key TEXT NOT NULL,
      remove INTEGER NOT NULL,
      version TEXT,
      upload_id TEXT,
      may_still_land INTEGER NOT NULL,
      tries INTEGER NOT NULL,
      next_at INTEGER,
      failure_kind TEXT,
      failure_status INTEGER,
      failure_code TEXT,
      failure_words TEXT,
      failure_retry_after INTEGER,
      failure_may_have_acted INTEGER
    ) STRICT;
    CREATE INDEX cleanup_idle ON cleanup (storage, next_at) WHERE next_at IS NOT NULL;
    """
}
