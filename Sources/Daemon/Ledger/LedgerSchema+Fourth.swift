import SQLite

/// The fourth version.
extension LedgerSchema {
  /// `registration_id` is the id of a registration that does not go under the job's own; it is null for nearly all jobs.
  /// `withheld` has the names of the metadata that the object does not get, as an array of JSON; null for none.
  static func makeFourth(_ db: Database) throws {
    try db.execute(script: "ALTER TABLE stored ADD COLUMN registration_id BLOB")
    try db.execute(script: "ALTER TABLE job ADD COLUMN withheld TEXT")
  }
}
