/// The tables that outlive the jobs: the files that were sent before.
extension LedgerSchema {
  /// The bytes that were registered from spools with `duplicates = "skip"`, for as long as they are remembered, by route. Rows outlive
  /// their jobs.
  static let contents = """
    CREATE TABLE content (
      spool TEXT NOT NULL,
      size INTEGER NOT NULL,
      sha256 BLOB NOT NULL,
      storage TEXT NOT NULL,
      bucket TEXT NOT NULL,
      backend TEXT NOT NULL,
      job INTEGER NOT NULL,
      id BLOB NOT NULL,
      key TEXT NOT NULL,
      etag TEXT,
      version TEXT,
      content_type TEXT NOT NULL,
      uploaded_at INTEGER NOT NULL,
      registered_at INTEGER NOT NULL,
      PRIMARY KEY (spool, size, sha256, storage, bucket, backend)
    ) STRICT, WITHOUT ROWID;
    CREATE INDEX content_registered ON content (spool, registered_at);
    """

  /// The lists of sent files: a row of `source` for each spool whose files stay where they are and each way that they went, and one of
  /// `kept` for each such file that became a job. Their facts are those of the last job of the name. `sent` has the bytes that were registered under a name, as several
  /// cards have different files of one name: `job` has sent them, and `used` is the last job that had them.
  /// `generation` is that of the ledger when the list was begun or known to be whole, and `asks_before` the time of its loss: a file
  /// that is older and not on the list may have been sent. `asks_after` is the last job before the loss. `seen` is the day on which a scan found the file, in days since 1970.
  static let kept = """
    CREATE TABLE source (
      number INTEGER PRIMARY KEY,
      spool TEXT NOT NULL,
      storage TEXT NOT NULL,
      bucket TEXT NOT NULL,
      backend TEXT NOT NULL,
      path TEXT NOT NULL,
      generation INTEGER NOT NULL,
      asks_before INTEGER,
      asks_after INTEGER,
      files INTEGER NOT NULL DEFAULT 0,
      UNIQUE (spool, storage, bucket, backend)
    ) STRICT;
    CREATE TABLE kept (
      source INTEGER NOT NULL,
      name BLOB NOT NULL,
      \(IdentityColumns.declared),
      epoch TEXT,
      job INTEGER NOT NULL,
      seen INTEGER NOT NULL,
      PRIMARY KEY (source, name)
    ) STRICT, WITHOUT ROWID;
    CREATE INDEX kept_seen ON kept (source, seen);
    CREATE TABLE sent (
      source INTEGER NOT NULL,
      size INTEGER NOT NULL,
      sha256 BLOB NOT NULL,
      name BLOB NOT NULL,
      inode INTEGER NOT NULL,
      job INTEGER NOT NULL,
      used INTEGER NOT NULL,
      PRIMARY KEY (source, size, sha256, name)
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
}
