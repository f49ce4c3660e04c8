import Jobs
import SQLite

/// The tables of a ledger.
///
/// Each fact stands in one place: a job is a row of `job`, which changes with it. Facts fixed at the admission and the servers' receipts
/// have rows of their own, because rows that are written often should be short. A row of `event` never changes.
///
/// The form of a release never changes; the table `form` has its name; see `docs/internals/ledger.md`.
enum LedgerSchema {
  /// The name of the form of these tables.
  static let ownForm = "1"

  /// The names of the tables that have rows of jobs, with the column of the job's number.
  static let tablesOfJobs = [
    ("job", "number"), ("ticket", "job"), ("stored", "job"), ("registration", "job"), ("answer", "job"),
    ("event", "job"), ("member", "job"), ("trouble", "job"),
  ]

  /// Returns the name of a ledger's form; nil if the database is no ledger.
  static func form(of db: Database) throws -> String? {
    let tables: Int = try db.value("SELECT count(*) FROM sqlite_master WHERE type = 'table' AND name = 'form'") ?? 0
    return tables > 0 ? try db.value("SELECT name FROM form") : nil
  }

  /// Returns the reason in words why this program does not read a ledger, and what to do; nil if it does.
  static func refusal(of db: Database) throws -> String? {
    if let form = try form(of: db) {
      return form == ownForm ? nil : "was written by a newer waybilld: install that version, or a later one"
    }
    let isEmpty = try db.value("SELECT count(*) FROM sqlite_master") ?? 0 == 0
    return isEmpty ? nil : "is another program's database: move it away, or set another [daemon] state"
  }

  /// Makes the tables in an empty database, all or none.
  static func make(in db: Database) throws {
    try db.transaction(.immediate) {
      for tables in [jobs, partsOfJobs, events, lists, others] { try db.execute(script: tables) }
      try db.execute("INSERT INTO form VALUES (?)", [ownForm])
    }
  }

  /// One row for each job. First come the facts of the ticket by which jobs are searched, then those that change.
  ///
  /// Every job pays for an index, so all are partial but that of the ids. A job that goes well enters, changes and leaves `job_present`,
  /// and `job_queued` if it is not begun by the commit that admits it; it is never in the others. Their conditions name columns that such a
  /// job does not change, so SQLite does not even look at these indexes when it writes the row. `noticed` exists for that, and so the
  /// deferred jobs are those with a time.
  private static let jobs = """
    CREATE TABLE job (
      number INTEGER PRIMARY KEY, \((TicketColumns.searched + ColumnGroups.declared).listed)
    ) STRICT;
    CREATE INDEX job_queued ON job (destination, (step = 'upload' AND size >= 8388608), priority DESC, number)
      WHERE state = 'queued';
    CREATE INDEX job_deferred ON job (next_attempt_at) WHERE next_attempt_at IS NOT NULL;
    CREATE INDEX job_waiting ON job (destination, number) WHERE noticed IN ('awaiting-credentials', 'awaiting-network');
    CREATE INDEX job_noticed ON job (noticed, number) WHERE noticed IS NOT NULL;
    CREATE INDEX job_present ON job (presence, spool) WHERE presence IS NOT NULL;
    """

  /// Conditions on `job` and `event`, word for word as queries must have them to use the partial indexes.
  enum Condition {
    /// The jobs whose time has come or will come.
    static let deferred = "job.state = 'deferred' AND job.next_attempt_at IS NOT NULL"
    /// The jobs that wait for a key or the network.
    static let waiting = "job.noticed IN ('awaiting-credentials', 'awaiting-network')"
    static let unfinished = "job.presence = \(FilePresence.unfinished.rawValue)"
    static let undisposed = "job.presence = \(FilePresence.undisposed.rawValue)"
    static let releasing = "job.presence = \(FilePresence.releasing.rawValue)"
    static let needsFile =
      "job.presence IN (\(FilePresence.unfinished.rawValue), \(FilePresence.stopped.rawValue))"
    /// The jobs, or the cleanups, whose spool is not paused.
    static func isUnpaused(_ table: String = "job") -> String {
      """
      'spool.' || \(table).spool NOT IN (SELECT target FROM pause) \
      AND 'late.' || \(table).spool NOT IN (SELECT target FROM pause)
      """
    }
    /// The same as ``Job/waitsForCleanup``, with the job's row of `trouble`.
    static let waitsForCleanup = "job.state = 'queued' AND job.step = 'upload' AND trouble.remote IS 'pending'"
    /// The same as ``Job/isLargeUpload``: 1 or 0.
    static let isLargeUpload = "(job.step = 'upload' AND job.size >= \(Job.leastLarge))"
    /// The jobs that are done: they have ended, and their file is gone. No index has them.
    static let isDone = "job.state IN ('registered', 'skipped', 'discarded') AND job.disposed_at IS NOT NULL"
  }

  /// The facts of a job that are only read together with it; what it has if it does not go as most do; the receipts of the servers, once a
  /// step is done; the beginning of the answer that is its last failure; and the files of a group, listed before any of them is sent.
  ///
  /// A single file has a row of `member`, with an empty path, only while an upload in parts is under way until the link is there.
  private static let partsOfJobs = """
    CREATE TABLE ticket (job INTEGER PRIMARY KEY, \(TicketColumns.declared.listed)) STRICT;
    CREATE TABLE stored (job INTEGER PRIMARY KEY, \(StoredColumns.declared.listed)) STRICT;
    CREATE TABLE registration (job INTEGER PRIMARY KEY, \(RegistrationColumns.declared.listed)) STRICT;
    CREATE TABLE trouble (job INTEGER PRIMARY KEY, \(JobColumns.trouble.declared.listed)) STRICT;
    CREATE TABLE answer (job INTEGER PRIMARY KEY, text TEXT NOT NULL) STRICT;
    CREATE TABLE member (
      job INTEGER NOT NULL, \(MemberRow.declared.listed), PRIMARY KEY (job, path)
    ) STRICT, WITHOUT ROWID;
    """

  /// The events, in one sequence. `job_…`, `next_attempt_at` and `failure_…` are of the job right after the event, for later readers of the
  /// stream. An event by which an attempt ended also has the attempt; an attempt that ended without an event has a row without a kind,
  /// which only the job's list of attempts shows. An event that concerns no job has the destination or the spool, and the sentence.
  ///
  /// `previous` is the event of the same job before it, 0 for the first: so the events of a job are found from `job.last_event`, and no
  /// job pays for an index (``EventRow/ofJob``).
  ///
  /// `detail` has what people did, what went wrong, and what concerns no job: the events of a job that goes well have no row there.
  private static let events = """
    CREATE TABLE event (\(EventRow.declared.listed)) STRICT;
    CREATE TABLE detail (\(EventRow.details.listed)) STRICT;
    CREATE INDEX detail_by ON detail (by_user) WHERE by_user IS NOT NULL;
    CREATE INDEX detail_of_none ON detail (sequence) WHERE message IS NOT NULL;
    """

  /// `content` has the bytes that were registered from spools with `duplicates = "skip"`, for as long as they are remembered, by route.
  ///
  /// The lists of sent files: a row of `source` for each spool whose files stay where they are and each of its routes, and one of `kept`
  /// for each such file that became a job, with the facts of the last job of the name. `sent` has the bytes that were registered under a
  /// name, as several cards have different files of one name: `job` has sent them, and `used` is the last job that had them.
  ///
  /// `generation` is that of the ledger when the list was begun or known to be whole, `asks_before` the time of its loss, and `asks_after`
  /// the last job before that: a file that is older and not on the list may have been sent. `seen` is the day on which a scan found the
  /// file, in days since 1970.
  private static let lists = """
    CREATE TABLE content (\(ContentRow.declared.listed)) STRICT, WITHOUT ROWID;
    CREATE INDEX content_registered ON content (spool, registered_at);
    CREATE TABLE source (\(SourceRow.declared.listed), UNIQUE (spool, storage, bucket, backend)) STRICT;
    CREATE TABLE kept (
      source INTEGER NOT NULL, name BLOB NOT NULL, \(KeptRow.declared.listed), PRIMARY KEY (source, name)
    ) STRICT, WITHOUT ROWID;
    CREATE INDEX kept_seen ON kept (source, seen);
    CREATE TABLE sent (
      source INTEGER NOT NULL, size INTEGER NOT NULL, sha256 BLOB NOT NULL, name BLOB NOT NULL, inode INTEGER NOT NULL,
      job INTEGER NOT NULL, used INTEGER NOT NULL, PRIMARY KEY (source, size, sha256, name)
    ) STRICT, WITHOUT ROWID;
    CREATE INDEX sent_name ON sent (source, name, used);
    CREATE TRIGGER kept_added AFTER INSERT ON kept BEGIN
      UPDATE source SET files = files + 1 WHERE number = new.source;
    END;
    CREATE TRIGGER kept_removed AFTER DELETE ON kept BEGIN
      UPDATE source SET files = files - 1 WHERE number = old.source;
      DELETE FROM sent WHERE source = old.source AND name = old.name;
    END;
    """

  /// The gates that are not open, and the pauses. The cleanups that jobs owe at a storage, a row for each key, with all the facts that a
  /// cleanup needs, because it outlives its job; `next_at` is null while a try is in flight. The numbers that must not come again
  /// (``LastNumbers``), with the last time on the steady clock (``CarriedTimes``). The identity of the ledger, from its first opening on.
  private static let others = """
    CREATE TABLE gate (\(GateRow.declared.listed)) STRICT, WITHOUT ROWID;
    CREATE TABLE pause (
      target TEXT PRIMARY KEY, since INTEGER NOT NULL, by_uid INTEGER NOT NULL, by_user TEXT NOT NULL
    ) STRICT, WITHOUT ROWID;
    CREATE TABLE cleanup (\(CleanupRow.declared.listed), PRIMARY KEY (job, key)) STRICT;
    CREATE INDEX cleanup_idle ON cleanup (storage, next_at) WHERE next_at IS NOT NULL;
    CREATE TABLE stopped (
      id BLOB PRIMARY KEY, state TEXT NOT NULL, kind TEXT, status INTEGER, code TEXT, words TEXT
    ) STRICT, WITHOUT ROWID;
    CREATE TABLE last_number (name TEXT PRIMARY KEY, number INTEGER NOT NULL) STRICT, WITHOUT ROWID;
    CREATE TABLE identity (
      one INTEGER PRIMARY KEY CHECK (one = 1), uuid TEXT NOT NULL, generation INTEGER NOT NULL, since INTEGER NOT NULL
    ) STRICT;
    CREATE TABLE form (name TEXT PRIMARY KEY) STRICT;
    """
}
