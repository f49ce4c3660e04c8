import Jobs
import SQLite

/// The duration of an attempt that gave a fact.
struct FactSpan: Hashable {
  let began: Timestamp
  let ended: Timestamp
}

/// The times of the facts of a job that imply its events and attempts. A fact without one has rows of its own for them.
struct FactSpans: Hashable {
  var admittedAt: Timestamp?
  var uploaded: FactSpan?
  var registered: FactSpan?
}

extension JobRow {
  /// Makes those due whose time is further off than any wait: whoever wrote it counted on a clock that was wrong, or this one is.
  static func boundWaits(_ longest: Duration, from steady: Timestamp, in db: Database) throws {
    try db.execute(
      "UPDATE job_state SET next_attempt_at = ? WHERE state = 'deferred' AND next_attempt_at > ?",
      [steady.microseconds, (steady + longest).microseconds])
  }

  /// Returns the statement that writes a row of a table.
  static func insert(into table: String, _ columns: [String], replacing: Bool = false) -> String {
    let places = columns.map { _ in "?" }.joined(separator: ", ")
    return
      "INSERT \(replacing ? "OR REPLACE " : "")INTO \(table) (\(columns.joined(separator: ", "))) VALUES (\(places))"
  }

  private static let insertSQL = insert(
    into: "job", ["number"] + TicketColumns.names + IdentityColumns.names() + ["admitted_at"])
  private static let insertStateSQL = insert(
    into: "job_state",
    LookupColumns.names + PlaceColumns.names + FileColumns.names + TroubleColumns.names + ReleaseColumns.names
      + EndColumns.names)
  private static let multipartSQL = insert(into: "multipart", ["job"] + MultipartColumns.names, replacing: true)
  private static let storedSQL = fact("stored", StoredColumns.names)
  private static let registrationSQL = fact("registration", RegistrationColumns.names)
  /// A disposal may be noted twice, and for a job that has left.
  private static let disposalSQL =
    "INSERT OR IGNORE INTO disposal (job, at) SELECT number, ? FROM job WHERE number = ?"

  /// Writes a new job.
  static func insert(_ job: Job, _ spans: FactSpans, into db: Database) throws {
    var row = try db.binding(insertSQL)
    row.add(job.number.rawValue)
    try TicketColumns.write(job.ticket, to: &row)
    IdentityColumns.write(job.identity, to: &row)
    row.add(spans.admittedAt?.microseconds)
    try row.run()
    try update(
      job, from: Job(number: job.number, ticket: job.ticket, identity: job.identity), spans, in: db)
  }

  /// Writes what a claim says of a job that is known already.
  static func renew(_ ticket: Ticket, of number: JobNumber, in db: Database) throws {
    var row = try db.binding(
      "UPDATE job SET bucket = ?, key = ?, content_type = ?, metadata = ?, parcel = ?, withheld = ? WHERE number = ?")
    row.add(ticket.bucket)
    row.add(ticket.key)
    row.add(ticket.contentType)
    row.add(try TicketColumns.text(of: ticket.metadata))
    row.add(try ParcelColumn.text(of: ticket.parcel))
    row.add(try TicketColumns.text(of: ticket.withheld))
    row.add(number.rawValue)
    try row.run()
  }

  /// Writes the differences between two versions of a job.
  static func update(_ job: Job, from old: Job, _ spans: FactSpans = FactSpans(), in db: Database) throws {
    if job.isPlain {
      if let at = job.disposedAt, old.disposedAt == nil { try writeDisposal(of: job.number, at: at, into: db) }
    } else if old.isPlain {
      try insertState(of: job, into: db)
    } else {
      try updateState(of: job, from: old, in: db)
    }
    if let stored = job.stored, stored != old.stored { try write(stored, spans.uploaded, of: job.number, into: db) }
    if let registration = job.registration, registration != old.registration {
      try write(registration, spans.registered, of: job.number, into: db)
    }
    if job.failure != old.failure { try write(job.failure, insteadOf: old.failure, of: job.number, into: db) }
    if job.multipart != old.multipart { try write(job.multipart, of: job.number, into: db) }
  }

  private static func insertState(of job: Job, into db: Database) throws {
    var row = try db.binding(insertStateSQL)
    LookupColumns.write(job, to: &row)
    PlaceColumns.write(job, to: &row)
    FileColumns.write(job, to: &row)
    TroubleColumns.write(job, to: &row)
    ReleaseColumns.write(job, to: &row)
    EndColumns.write(job, to: &row)
    try row.run()
  }

  private static func updateState(of job: Job, from old: Job, in db: Database) throws {
    let groups = ColumnGroups(changedFrom: old, to: job)
    var row = try db.binding(groups.updateSQL)
    groups.write(job, to: &row)
    row.add(job.number.rawValue)
    try row.run()
  }

  private static func writeDisposal(of job: JobNumber, at time: Timestamp, into db: Database) throws {
    var row = try db.binding(disposalSQL)
    row.add(time.microseconds)
    row.add(job.rawValue)
    try row.run()
  }

  /// Returns the statement that writes a far side's receipt. A later one keeps the times of the first: they imply the event and
  /// the attempt of that one.
  private static func fact(_ table: String, _ columns: [String]) -> String {
    let changes = columns.map { "\($0) = excluded.\($0)" }.joined(separator: ", ")
    return insert(into: table, ["job", "began_at", "ended_at"] + columns)
      + " ON CONFLICT (job) DO UPDATE SET \(changes)"
  }

  private static func write(_ stored: StoredLink, _ span: FactSpan?, of job: JobNumber, into db: Database) throws {
    var row = try db.binding(storedSQL)
    add(span, of: job, to: &row)
    StoredColumns.write(stored, to: &row)
    try row.run()
  }

  private static func write(
    _ registration: RegistrationReceipt, _ span: FactSpan?, of job: JobNumber, into db: Database
  ) throws {
    var row = try db.binding(registrationSQL)
    add(span, of: job, to: &row)
    RegistrationColumns.write(registration, to: &row)
    try row.run()
  }

  private static func add(_ span: FactSpan?, of job: JobNumber, to row: inout Binding) {
    row.add(job.rawValue)
    row.add(span?.began.microseconds)
    row.add(span?.ended.microseconds)
  }

  private static func write(_ upload: MultipartUpload?, of job: JobNumber, into db: Database) throws {
    guard let upload else { return try db.execute("DELETE FROM multipart WHERE job = ?", [job.rawValue]) }
    var row = try db.binding(multipartSQL)
    row.add(job.rawValue)
    MultipartColumns.write(upload, to: &row)
    try row.run()
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
