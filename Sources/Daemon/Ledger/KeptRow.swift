package import Jobs
import SQLite

/// A row of `source`: the list of files that stay in a spool and were sent by one route.
struct SourceRow {
  let number: Int64
  let spool: String
  let route: Route
  let path: String
  let generation: Int64
  /// The time of the loss of the list; nil if it is whole.
  let asksBefore: Timestamp?
  let asksAfter: Int64?
  let files: Int

  static let declared = [
    "number INTEGER PRIMARY KEY", "spool TEXT NOT NULL", "storage TEXT NOT NULL", "bucket TEXT NOT NULL",
    "backend TEXT NOT NULL", "path TEXT NOT NULL", "generation INTEGER NOT NULL", "asks_before INTEGER",
    "asks_after INTEGER", "files INTEGER NOT NULL DEFAULT 0",
  ]
  private static let select = "SELECT \(declared.names.listed) FROM source"

  private static func row(_ row: Row) -> SourceRow {
    var reader = ColumnReader(row: row)
    return SourceRow(
      number: reader.next(), spool: reader.next(),
      route: Route(storage: reader.next(), bucket: reader.next(), backend: reader.next()),
      path: reader.next(), generation: reader.next(),
      asksBefore: reader.optionalTime(), asksAfter: reader.optional(), files: reader.nextCount())
  }

  static func of(_ spool: String, _ route: Route, in db: Database) throws -> SourceRow? {
    try db.first(
      "\(select) WHERE spool = ? AND storage = ? AND bucket = ? AND backend = ?",
      [spool, route.storage, route.bucket, route.backend], row)
  }

  static func of(_ ticket: Ticket, in db: Database) throws -> SourceRow? { try of(ticket.spool, ticket.route, in: db) }

  /// Returns the list of a spool for one route. If the spool has only lists of other routes, it gets one.
  static func orNew(_ ticket: Ticket, in db: Database) throws -> SourceRow? {
    if let own = try of(ticket, in: db) { return own }
    guard let other = try all(in: db).first(where: { $0.spool == ticket.spool }) else { return nil }
    try insert(ticket.spool, ticket.route, other.path, generation: other.generation, into: db)
    return try of(ticket, in: db)
  }

  static func all(in db: Database) throws -> [SourceRow] { try db.all(select, [], row) }

  static func insert(
    _ spool: String, _ route: Route, _ path: String, generation: Int64, into db: Database
  ) throws {
    try db.execute(
      "INSERT INTO source (spool, storage, bucket, backend, path, generation) VALUES (?, ?, ?, ?, ?, ?)",
      [spool, route.storage, route.bucket, route.backend, path, generation])
  }

  func rename(to spool: String, _ path: String, in db: Database) throws {
    try db.execute("UPDATE source SET spool = ?, path = ? WHERE number = ?", [spool, path, number])
  }

  /// Notes that files which are not on the list and older than a time may have been sent.
  func ask(before time: Timestamp, after job: Int64, generation: Int64, in db: Database) throws {
    try db.execute(
      "UPDATE source SET asks_before = ?, asks_after = ?, generation = ? WHERE number = ?",
      [time.microseconds, job, generation, number])
  }
}

/// A row of `kept`: a file that became a job and stays where it is.
struct KeptRow {
  let source: SourceRow
  let file: KeptFile
  let job: JobNumber
  let seen: Int64

  /// The columns after the source and the name, as the table declares them.
  static let declared = IdentityColumns.declared + ["epoch TEXT", "job INTEGER NOT NULL", "seen INTEGER NOT NULL"]
  private static let names = declared.names
  private static let selectSQL = "SELECT \(names.listed) FROM kept WHERE source = ? AND name = ?"
  private static let upsertSQL = SQL(
    """
    INSERT INTO kept (source, name, \(names.listed)) VALUES (?, ?, \(names.marks)) \
    ON CONFLICT DO UPDATE SET \(names.excluded)
    """)
  private static let factsSQL = SQL(
    "UPDATE kept SET \(IdentityColumns.names.assigned) WHERE source = ? AND name = ? AND job = ?")

  static func day(_ time: Timestamp) -> Int64 { time.microseconds / 86_400_000_000 }

  static func of(_ job: Job, in db: Database) throws -> KeptRow? {
    try SourceRow.of(job.ticket, in: db).flatMap { try of(job.ticket.dropped, on: $0, in: db) }
  }

  static func of(_ name: FileName, on source: SourceRow, in db: Database) throws -> KeptRow? {
    try db.first(selectSQL, [source.number, name.bytes]) { row in
      var reader = ColumnReader(row: row)
      let identity = IdentityColumns.read(from: &reader)
      let file = KeptFile(name: name, identity: identity, epoch: reader.optional())
      return KeptRow(
        source: source, file: file, job: JobNumber(rawValue: reader.next()),
        seen: reader.next(in: ColumnReader.Bounds.count))
    }
  }

  /// Notes that a file has become a job. Bytes that were sent under its name before stay on record, to be compared.
  static func write(_ file: KeptFile, source: Int64, job: JobNumber, at now: Timestamp, into db: Database) throws {
    var row = try db.binding(upsertSQL, [source, file.name.bytes])
    IdentityColumns.write(file.identity, to: &row)
    row.add(file.epoch)
    row.add(job.rawValue)
    row.add(day(now))
    try row.run()
  }

  /// If a job holds the name, notes the facts with which the job ended or which its next attempt must find.
  static func changed(_ job: Job, source: Int64, in db: Database) throws {
    var row = try db.binding(factsSQL)
    IdentityColumns.write(job.identity, to: &row)
    row.add(source)
    row.add(job.ticket.dropped.bytes)
    row.add(job.number.rawValue)
    try row.run()
  }

  /// Assigns the row to another job. The row takes the facts of another file (another card); for the same file, the row's are newer.
  func give(to job: Job, in db: Database) throws {
    try db.execute(
      "UPDATE kept SET job = ? WHERE source = ? AND name = ?", [job.number.rawValue, source.number, file.name.bytes])
    guard (file.identity.device, file.identity.inode) != (job.identity.device, job.identity.inode) else { return }
    try Self.changed(job, source: source.number, in: db)
  }

  static func saw(_ names: [FileName], source: Int64, on day: Int64, in db: Database) throws {
    for name in names {
      try db.execute("UPDATE kept SET seen = ? WHERE source = ? AND name = ?", [day, source, name.bytes])
    }
  }

  /// Removes some of the rows whose files no scan has found since a day, those missing for the longest time first.
  static func forget(source: Int64, before day: Int64, atMost limit: Int, in db: Database) throws {
    try db.execute(
      """
      DELETE FROM kept WHERE (source, name) IN (
        SELECT source, name FROM kept WHERE source = ? AND seen < ? ORDER BY seen LIMIT ?)
      """, [source, day, limit])
  }
}

/// A row of `sent`: bytes that were registered under a name.
package struct SentFile: Hashable, Sendable {
  package var name: FileName
  package var inode: UInt64
  package var job: JobNumber

  /// The most contents of one name that are remembered: of several cards, or versions of a file.
  static let mostOfName = 16

  private static let upsertSQL = """
    INSERT INTO sent (source, size, sha256, name, inode, job, used) \
    SELECT ?1, ?2, ?3, ?4, ?5, ?6, ?7 WHERE EXISTS (SELECT 1 FROM kept WHERE source = ?1 AND name = ?4) \
    ON CONFLICT DO UPDATE SET inode = excluded.inode, job = excluded.job, used = excluded.used
    """
  private static let forgetSQL = """
    DELETE FROM sent WHERE source = ?1 AND name = ?2 AND used < \
    (SELECT used FROM sent WHERE source = ?1 AND name = ?2 ORDER BY used DESC LIMIT 1 OFFSET \(mostOfName - 1))
    """

  /// Notes the bytes of a listed file that are registered now, or were before.
  /// `job`: the job that ended now; `sender`: the job that sent the bytes.
  static func write(_ job: Job, sum: [UInt8], sender: JobNumber, source: Int64, into db: Database) throws {
    let (name, file) = (job.ticket.dropped.bytes, job.identity)
    try db.execute(
      upsertSQL, [source, file.size, sum, name, Int64(bitPattern: file.inode), sender.rawValue, job.number.rawValue])
    try db.execute(forgetSQL, [source, name])
  }

  /// Returns true if the last job of a name has sent its bytes, or recognised them.
  static func isSent(_ name: FileName, by job: JobNumber, source: Int64, in db: Database) throws -> Bool {
    let found: Int? = try db.value(
      "SELECT 1 FROM sent WHERE source = ? AND name = ? AND used = ?", [source, name.bytes, job.rawValue])
    return found != nil
  }

  /// Reads the files of a source that have a size and a sum, and fit a condition.
  static func all(_ condition: String, _ arguments: [(any Bindable)?], in db: Database) throws -> [SentFile] {
    try db.all(
      """
      SELECT name, inode, job FROM sent WHERE source = ? AND size = ? AND sha256 = ? AND \(condition)
      """, arguments
    ) { row in
      var reader = ColumnReader(row: row)
      return SentFile(
        name: FileName(bytes: reader.next()), inode: UInt64(bitPattern: reader.next()),
        job: JobNumber(rawValue: reader.next()))
    }
  }
}
