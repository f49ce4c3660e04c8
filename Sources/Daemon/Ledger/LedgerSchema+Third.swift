import SQLite

/// The third version.
extension LedgerSchema {
  static func makeThird(_ db: Database) throws {
    try LedgerIdentity.prepare(db)
    try addParcels(db)
    try db.execute(script: tenures)
  }

  /// The last time in which this host held a shared spool and had all that it found there in the ledger.
  private static let tenures = """
    CREATE TABLE tenure (
      spool TEXT PRIMARY KEY,
      id TEXT NOT NULL
    ) STRICT, WITHOUT ROWID;
    """

  /// The files of groups, listed before any of them is sent. `uploaded_at` is null until the object is stored; its receipt comes
  /// with it. `upload_…` is of an upload in parts that the storage has begun.
  private static let members = """
    CREATE TABLE member (
      job INTEGER NOT NULL,
      path BLOB NOT NULL,
      device INTEGER NOT NULL,
      inode INTEGER NOT NULL,
      size INTEGER NOT NULL,
      modified_ns INTEGER NOT NULL,
      changed_ns INTEGER NOT NULL,
      may_be_stale INTEGER NOT NULL,
      upload_id TEXT,
      part_size INTEGER,
      upload_checksum TEXT,
      upload_inode INTEGER,
      upload_size INTEGER,
      upload_modified_ns INTEGER,
      etag TEXT,
      version TEXT,
      sha256 TEXT,
      checksum_algorithm TEXT,
      checksum_type TEXT,
      checksum_value TEXT,
      crc64nvme TEXT,
      content_type TEXT,
      uploaded_at INTEGER,
      PRIMARY KEY (job, path)
    ) STRICT, WITHOUT ROWID;
    """

  /// Jobs that send more than one file. `parcel` is null for a job of one file, which then costs nothing.
  private static func addParcels(_ db: Database) throws {
    try db.execute(script: "ALTER TABLE job ADD COLUMN parcel TEXT")
    try db.execute(script: members)
  }
}
