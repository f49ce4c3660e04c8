import Jobs
import SQLite

extension JobRow {
  /// Notes that objects of the jobs may be stored, because the ledger may have forgotten their attempts.
  static func distrustUploads(in db: Database) throws {
    try db.execute(
      "UPDATE job SET may_be_stored = 1, may_be_forgotten = 1 WHERE \(LedgerSchema.Condition.needsFile) AND job.step = 'upload'"
    )
  }

  /// Returns the time at which the first deferred job is due, on the steady clock.
  static func nextDue(in db: Database) throws -> Timestamp? {
    let due: Int64? = try db.value(selectNextDue)
    return due.map(Timestamp.init(microseconds:))
  }

  /// Reads one entry of `job_deferred`.
  static let selectNextDue = "SELECT MIN(next_attempt_at) FROM job WHERE \(LedgerSchema.Condition.deferred)"

  /// Returns the statement that writes a row of a table.
  static func insert(into table: String, _ columns: [String], replacing: Bool = false) -> SQL {
    let places = columns.map { _ in "?" }.joined(separator: ", ")
    return SQL(
      "INSERT \(replacing ? "OR REPLACE " : "")INTO \(table) (\(columns.joined(separator: ", "))) VALUES (\(places))")
  }

  /// The columns of a usual new job; for others an update follows.
  private static let insertSQL = insert(
    into: "job", ["number"] + TicketColumns.searched + ColumnGroups.inserted.names)
  private static let ticketSQL = insert(into: "ticket", ["job"] + TicketColumns.names)
  private static let multipartSQL = insert(into: "multipart", ["job"] + MultipartColumns.names, replacing: true)
  private static let storedSQL = insert(into: "stored", ["job"] + StoredColumns.names, replacing: true)
  private static let registrationSQL = insert(
    into: "registration", ["job"] + RegistrationColumns.names, replacing: true)

  /// Writes a new job.
  static func insert(_ job: Job, into db: Database) throws {
    var row = try db.binding(insertSQL)
    row.add(job.number.rawValue)
    TicketColumns.writeSearched(job.ticket, to: &row)
    ColumnGroups.inserted.write(job, to: &row)
    try row.run()
    try writeRow(ticketSQL, of: job.number, into: db) { row in TicketColumns.write(job.ticket, to: &row) }
    let new = Job(number: job.number, ticket: job.ticket, identity: job.identity)
    let groups = ColumnGroups(changedFrom: new, to: job).subtracting(.inserted)
    if !groups.isEmpty { try write(groups, of: job, into: db) }
    try writeRest(of: job, from: new, in: db)
  }

  /// Writes the differences between two versions of a job; nothing if its row has left.
  static func update(_ job: Job, from old: Job, in db: Database) throws {
    try write(ColumnGroups(changedFrom: old, to: job), of: job, into: db)
    try writeRest(of: job, from: old, in: db)
  }

  private static func write(_ groups: ColumnGroups, of job: Job, into db: Database) throws {
    var row = try db.binding(groups.updateSQL)
    groups.write(job, to: &row)
    row.add(job.number.rawValue)
    try row.run()
  }

  /// Writes the differences that are not in `job`.
  private static func writeRest(of job: Job, from old: Job, in db: Database) throws {
    if job.hasSameExtras(as: old) { return }
    if let stored = job.stored, stored != old.stored {
      try writeRow(storedSQL, of: job.number, into: db) { row in StoredColumns.write(stored, to: &row) }
    }
    if let registration = job.registration, registration != old.registration {
      try writeRow(registrationSQL, of: job.number, into: db) { RegistrationColumns.write(registration, to: &$0) }
    }
    if job.failure != old.failure { try write(job.failure, insteadOf: old.failure, of: job.number, into: db) }
    if job.multipart != old.multipart { try write(job.multipart, of: job.number, into: db) }
  }

  /// Writes the row of a job in a table whose first column is the job's number.
  private static func writeRow(
    _ sql: SQL, of job: JobNumber, into db: Database, _ write: (inout Binding) throws -> Void
  ) throws {
    var row = try db.binding(sql)
    row.add(job.rawValue)
    try write(&row)
    try row.run()
  }

  private static func write(_ upload: MultipartUpload?, of job: JobNumber, into db: Database) throws {
    guard let upload else { return try db.execute("DELETE FROM multipart WHERE job = ?", [job.rawValue]) }
    try writeRow(multipartSQL, of: job, into: db) { row in MultipartColumns.write(upload, to: &row) }
  }

  /// Keeps only the answer of the last failure.
  private static func write(
    _ failure: Failure?, insteadOf old: Failure?, of job: JobNumber, into db: Database
  ) throws {
    if let answer = failure?.answer {
      try db.execute("INSERT OR REPLACE INTO answer VALUES (?, ?)", [job.rawValue, answer])
    } else if old != nil {
      try db.execute("DELETE FROM answer WHERE job = ?", [job.rawValue])
    }
  }
}
