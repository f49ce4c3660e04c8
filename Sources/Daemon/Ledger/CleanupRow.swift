import Jobs
import SQLite

/// A row of `cleanup`: the work that is owed at a storage.
enum CleanupRow {
  private static let names =
    [
      "job", "id", "spool", "storage", "bucket", "key", "remove", "version", "upload_id", "upload_lands_by",
      "deletion_lands_by", "has_removed", "tries", "next_at",
    ] + FailureColumns.names
  private static let columns = names.joined(separator: ", ")
  /// The condition for cleanups whose spool is not paused.
  static let isUnpaused = """
    'spool.' || cleanup.spool NOT IN (SELECT target FROM pause) \
    AND 'standby.' || cleanup.spool NOT IN (SELECT target FROM pause)
    """
  private static let insertSQL = JobRow.insert(into: "cleanup", names, replacing: true)

  /// Writes a cleanup in place of the one that the same job owed before.
  static func write(_ cleanup: Cleanup, into db: Database) throws {
    var row = try db.binding(insertSQL)
    row.add(cleanup.job.rawValue)
    row.add(cleanup.id.ledgerBytes)
    row.add(cleanup.spool)
    row.add(cleanup.storage)
    row.add(cleanup.bucket)
    row.add(cleanup.key)
    row.add(cleanup.remove)
    row.add(cleanup.version)
    row.add(cleanup.uploadID)
    row.add(cleanup.uploadLandsBy?.microseconds)
    row.add(cleanup.deletionLandsBy?.microseconds)
    row.add(cleanup.hasRemoved)
    row.add(cleanup.tries)
    row.add(cleanup.nextAt?.microseconds)
    FailureColumns.write(cleanup.failure, to: &row)
    try row.run()
  }

  /// Deletes the row of a cleanup that is done.
  static func delete(_ job: JobNumber, from db: Database) throws {
    try db.execute("DELETE FROM cleanup WHERE job = ?", [job.rawValue])
  }

  /// Returns the first cleanup that fits a condition.
  static func first(_ condition: String, _ arguments: [(any Bindable)?], in db: Database) throws -> Cleanup? {
    try db.first("SELECT \(columns) FROM cleanup WHERE \(condition) LIMIT 1", arguments, cleanup)
  }

  /// Returns all cleanups that are owed.
  static func all(in db: Database) throws -> [Cleanup] {
    try db.all("SELECT \(columns) FROM cleanup ORDER BY job", [], cleanup)
  }

  /// Returns the time at which the first cleanup is due at each destination. It leaves out those that are in flight or whose
  /// spool somebody paused.
  ///
  /// It goes from storage to storage in the index, so that it costs the same for any number of rows.
  static func nextTimes(_ db: Database) throws -> [Destination: Timestamp] {
    let storages =
      "SELECT storage FROM cleanup WHERE storage > ? AND next_at IS NOT NULL ORDER BY storage LIMIT 1"
    let times = """
      SELECT next_at FROM cleanup WHERE storage = ? AND next_at IS NOT NULL AND \(isUnpaused) ORDER BY next_at LIMIT 1
      """
    var next: [Destination: Timestamp] = [:]
    var last = ""
    while let storage: String = try db.value(storages, [last]) {
      last = storage
      if let time: Int64 = try db.value(times, [storage]) {
        next[.storage(storage)] = Timestamp(microseconds: time)
      }
    }
    return next
  }

  /// Makes all of them due: at a start none is in flight, and the steady clock has started anew. What was on the way when the last daemon
  /// ended may land from now on: a deletion, too, if its try was in flight.
  static func makeAllDue(at steady: Timestamp, in db: Database) throws {
    let landed = (steady + Cleanup.landing).microseconds
    try db.execute(
      """
      UPDATE cleanup SET next_at = ?, upload_lands_by = iif(upload_lands_by IS NULL, NULL, ?), \
      deletion_lands_by = iif(deletion_lands_by IS NULL AND (next_at IS NOT NULL OR NOT remove), NULL, ?)
      """, [steady.microseconds, landed, landed])
  }

  /// Makes those due at once that wait for their time at a storage.
  static func makeDue(at steady: Timestamp, storage: String, in db: Database) throws {
    try db.execute(
      "UPDATE cleanup SET next_at = ? WHERE storage = ? AND next_at > ?",
      [steady.microseconds, storage, steady.microseconds])
  }

  private static func cleanup(_ row: Row) throws -> Cleanup {
    var reader = ColumnReader(row: row)
    return Cleanup(
      job: JobNumber(rawValue: reader.next()), id: try reader.nextID(), spool: reader.next(), storage: reader.next(),
      bucket: reader.next(), key: reader.next(), remove: reader.next(), version: reader.optional(),
      uploadID: reader.optional(), uploadLandsBy: reader.optionalTime(), deletionLandsBy: reader.optionalTime(),
      hasRemoved: reader.next(), tries: reader.nextCount(), nextAt: reader.optionalTime(),
      failure: try FailureColumns.read(from: &reader))
  }
}
