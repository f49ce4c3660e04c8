import SQLite

/// The fifth version.
extension LedgerSchema {
  /// `request` has the requests that came with a key. `status` and `body` are null until they are answered.
  static func makeFifth(_ db: Database) throws {
    try db.execute(
      script: """
        CREATE TABLE request (
          uid INTEGER NOT NULL,
          key TEXT NOT NULL,
          fingerprint TEXT NOT NULL,
          at INTEGER NOT NULL,
          status INTEGER,
          body BLOB,
          PRIMARY KEY (uid, key)
        ) STRICT, WITHOUT ROWID;
        CREATE INDEX request_at ON request (uid, at);
        """)
  }
}
