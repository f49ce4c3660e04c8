import SQLite

/// The third version.
extension LedgerSchema {
  static func makeThird(_ db: Database) throws {
    try LedgerIdentity.prepare(db)
    try addParcels(db)
  }

  /// Jobs that send more than one file. `parcel` is null for a job of one file, which then costs nothing.
  private static func addParcels(_ db: Database) throws {
    try db.execute(script: "ALTER TABLE job ADD COLUMN parcel TEXT")
  }
}
