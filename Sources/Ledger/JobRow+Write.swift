import Foundation
import GRDB
import Jobs
import StatementValues

extension JobRow {
  private static let insertSQL = insert(
    into: "job", TicketColumns.names + PlaceColumns.names + FileColumns.names + ["delays_spent", "number"])

  /// Returns the statement that writes a row of a table.
  static func insert(into table: String, _ columns: [String], replacing: Bool = false) -> String {
    let places = columns.map { _ in "?" }.joined(separator: ", ")
    return
      "INSERT \(replacing ? "OR REPLACE " : "")INTO \(table) (\(columns.joined(separator: ", "))) VALUES (\(places))"
  }

  /// Writes a new job.
  static func insert(_ job: Job, into db: Database) throws {
    var row = try WriteStatement(insertSQL, db)
    try TicketColumns.write(job.ticket, to: &row)
    PlaceColumns.write(job, to: &row)
    FileColumns.write(job, to: &row)
    row.add(job.schedule.spent)
    row.add(job.number.rawValue)
    try row.run()
  }

  /// Writes the differences between two versions of a job.
  static func update(_ job: Job, from old: Job, in db: Database) throws {
    let groups = ColumnGroups(changedFrom: old, to: job)
    var row = try WriteStatement(groups.updateSQL, db)
    groups.write(job, to: &row)
    row.add(job.number.rawValue)
    try row.run()
    if job.stored != old.stored { try write(job.stored, of: job.number, into: db) }
    if let registration = job.registration, registration != old.registration {
      try write(registration, of: job.number, into: db)
    }
    if job.failure != old.failure { try write(job.failure, insteadOf: old.failure, of: job.number, into: db) }
    if job.multipart != old.multipart { try write(job.multipart, of: job.number, into: db) }
  }

  private static let multipartSQL = insert(into: "multipart", ["job"] + MultipartColumns.names, replacing: true)
  private static let storedSQL = insert(into: "stored", ["job"] + StoredColumns.names, replacing: true)
  private static let registrationSQL = insert(
    into: "registration", ["job"] + RegistrationColumns.names, replacing: true)

  private static func write(_ upload: MultipartUpload?, of job: JobNumber, into db: Database) throws {
    guard let upload else {
      var row = try WriteStatement("DELETE FROM multipart WHERE job = ?", db)
      row.add(job.rawValue)
      return try row.run()
    }
    var row = try WriteStatement(multipartSQL, db)
    row.add(job.rawValue)
    MultipartColumns.write(upload, to: &row)
    try row.run()
  }

  /// Keeps only the answer of the last failure.
  private static func write(
    _ failure: Failure?, insteadOf old: Failure?, of job: JobNumber, into db: Database
  ) throws {
    if let answer = failure?.answer {
      var row = try WriteStatement("INSERT OR REPLACE INTO answer VALUES (?, ?)", db)
      row.add(job.rawValue)
      row.add(answer)
      try row.run()
    } else if old != nil {
      var row = try WriteStatement("DELETE FROM answer WHERE job = ?", db)
      row.add(job.rawValue)
      try row.run()
    }
  }

  private static func write(_ stored: StoredLink?, of job: JobNumber, into db: Database) throws {
    guard let stored else {
      var row = try WriteStatement("DELETE FROM stored WHERE job = ?", db)
      row.add(job.rawValue)
      return try row.run()
    }
    var row = try WriteStatement(storedSQL, db)
    row.add(job.rawValue)
    StoredColumns.write(stored, to: &row)
    try row.run()
  }

  private static func write(_ registration: RegistrationReceipt, of job: JobNumber, into db: Database) throws {
    var row = try WriteStatement(registrationSQL, db)
    row.add(job.rawValue)
    RegistrationColumns.write(registration, to: &row)
    try row.run()
  }
}
