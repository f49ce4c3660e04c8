import Jobs
import SQLite

/// A row of `cleanup`: the work that is owed at a storage.
enum CleanupRow {
  static let declared =
    [
      "job INTEGER NOT NULL", "id BLOB NOT NULL", "spool TEXT NOT NULL", "storage TEXT NOT NULL",
      "bucket TEXT NOT NULL",
      "key TEXT NOT NULL", "aim TEXT NOT NULL", "version TEXT", "upload_id TEXT", "upload_unheard_at INTEGER",
      "deletion_unheard_at INTEGER", "has_removed INTEGER NOT NULL", "tries INTEGER NOT NULL", "next_at INTEGER",
    ] + FailureColumns.declared
  private static let columns = declared.names.listed
  private static let insertSQL = SQL.insertion(into: "cleanup", declared.names, replacing: true)

  /// Writes a cleanup in place of the one that the same job owed under the same key before.
  static func write(_ cleanup: Cleanup, into db: Database) throws {
    assert(cleanup.nextAt != nil || cleanup.tries > 0, "a cleanup in flight that was never begun")
    var row = try db.binding(
      insertSQL,
      [
        cleanup.job.rawValue, cleanup.id.ledgerBytes, cleanup.spool, cleanup.storage, cleanup.bucket, cleanup.key,
        cleanup.aim.rawValue, cleanup.version, cleanup.uploadID, cleanup.uploadUnheardAt?.microseconds,
        cleanup.deletionUnheardAt?.microseconds, cleanup.hasRemoved, cleanup.tries, cleanup.nextAt?.microseconds,
      ])
    FailureColumns.write(cleanup.failure, to: &row)
    try row.run()
  }

  static func delete(_ job: JobNumber, key: String, from db: Database) throws {
    try db.execute("DELETE FROM cleanup WHERE job = ? AND key = ?", [job.rawValue, key])
  }

  static func removeAll(of job: JobNumber, in db: Database) throws {
    try db.execute("UPDATE cleanup SET aim = 'remove' WHERE job = ? AND aim = 'look'", [job.rawValue])
  }

  static func cleanup(of job: JobNumber, key: String, in db: Database) throws -> Cleanup? {
    try first("job = ? AND key = ?", [job.rawValue, key], in: db)
  }

  /// Returns the first cleanup that a job owes: one in flight, else the one of the job's own key, with which the other keys begin.
  static func cleanup(of job: JobNumber, in db: Database) throws -> Cleanup? {
    try first("job = ? ORDER BY next_at IS NOT NULL, key", [job.rawValue], in: db)
  }

  static func first(_ condition: String, _ arguments: [(any Bindable)?], in db: Database) throws -> Cleanup? {
    try db.first("SELECT \(columns) FROM cleanup WHERE \(condition) LIMIT 1", arguments, cleanup)
  }

  static func all(in db: Database) throws -> [Cleanup] {
    try db.all("SELECT \(columns) FROM cleanup ORDER BY job, next_at IS NOT NULL, key", [], cleanup)
  }

  /// Returns the time at which the first cleanup is due at each destination. It leaves out those that are in flight or whose
  /// spool somebody paused.
  static func nextTimes(_ db: Database) throws -> [Destination: Timestamp] {
    let storages =
      "SELECT storage FROM cleanup WHERE storage > ? AND next_at IS NOT NULL ORDER BY storage LIMIT 1"
    let unpaused = LedgerSchema.Condition.isUnpaused("cleanup")
    let times = """
      SELECT next_at FROM cleanup WHERE storage = ? AND next_at IS NOT NULL AND \(unpaused) ORDER BY next_at LIMIT 1
      """
    var next: [Destination: Timestamp] = [:]
    for storage in try db.distinct(storages) {
      if let time: Int64 = try db.value(times, [storage]) {
        next[.storage(storage)] = Timestamp(microseconds: time)
      }
    }
    return next
  }

  /// Makes all of them due: at a start none is in flight, and the steady clock has started anew. Requests that were under way when the
  /// last daemon ended count as sent now, including the deletion of a try in flight.
  static func makeAllDue(at steady: Timestamp, in db: Database) throws {
    try db.execute(
      """
      UPDATE cleanup SET next_at = ?1, upload_unheard_at = iif(upload_unheard_at IS NULL, NULL, ?1), \
      deletion_unheard_at = iif(deletion_unheard_at IS NULL AND (next_at IS NOT NULL OR aim <> 'remove'), NULL, ?1)
      """, [steady.microseconds])
  }

  static func makeDue(at steady: Timestamp, storage: String, in db: Database) throws {
    try db.execute(
      "UPDATE cleanup SET next_at = ? WHERE storage = ? AND next_at > ?",
      [steady.microseconds, storage, steady.microseconds])
  }

  private static func cleanup(_ row: Row) throws -> Cleanup {
    var reader = ColumnReader(row: row)
    return Cleanup(
      job: JobNumber(rawValue: reader.next()), id: try reader.nextID(), spool: reader.next(), storage: reader.next(),
      bucket: reader.next(), key: reader.next(), aim: try reader.nextCase(), version: reader.optional(),
      uploadID: reader.optional(), uploadUnheardAt: reader.optionalTime(), deletionUnheardAt: reader.optionalTime(),
      hasRemoved: reader.next(), tries: reader.nextCount(), nextAt: reader.optionalTime(),
      failure: try FailureColumns.read(from: &reader))
  }
}
