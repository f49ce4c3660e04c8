import Jobs
import SQLite

/// A job as the tables tell it: the facts of `job`, `stored`, `registration` and `disposal`, or the row of `job_state`.
enum JobRow {
  /// The groups of columns of `job_state` in the order in which rows are read.
  private static let groups: [any (JobColumns & SendableMetatype).Type] = [
    PlaceColumns.self, FileColumns.self, TroubleColumns.self, ReleaseColumns.self, EndColumns.self,
  ]

  /// The tables that tell of a job, joined.
  static let tables =
    "job "
    + ["job_state", "stored", "registration", "disposal", "multipart"]
    .map { "LEFT JOIN \($0) ON \($0).job = job.number" }.joined(separator: " ")

  /// A query to which a condition is added. ``job(_:)`` reads its rows.
  static let select: String = {
    let columns: [(table: String, names: [String])] = [
      ("job", ["number"] + TicketColumns.names + IdentityColumns.names()),
      ("stored", StoredColumns.names + ["ended_at"]), ("registration", RegistrationColumns.names + ["ended_at"]),
      ("disposal", ["at"]), ("multipart", MultipartColumns.names),
      ("job_state", ["job"] + groups.flatMap { $0.names }),
    ]
    let names = columns.flatMap { table, names in names.map { "\(table).\($0)" } }
    return "SELECT \(names.joined(separator: ", ")) FROM \(tables)"
  }()

  /// The column of ``select`` that tells if the job has a row of `job_state`.
  private static let stateColumn =
    1 + TicketColumns.names.count + IdentityColumns.names().count + StoredColumns.names.count + 1
    + RegistrationColumns.names.count + 1 + 1 + MultipartColumns.names.count

  /// - Throws: ``LedgerError`` if a row has a value that this program does not know.
  static func job(_ row: Row) throws -> Job {
    var reader = ColumnReader(row: row)
    let number = JobNumber(rawValue: reader.next())
    let ticket = try TicketColumns.read(from: &reader)
    var job = Job(number: number, ticket: ticket, identity: IdentityColumns.read(from: &reader))
    let stored = try StoredColumns.read(ticket, from: &reader)
    let storedAt = reader.nextTime()
    let registration = RegistrationColumns.read(from: &reader)
    let registeredAt = reader.nextTime()
    let disposedAt = reader.nextTime()
    let multipart = MultipartColumns.read(from: &reader)
    if row.isNull(stateColumn) {
      job.follow(
        uploaded: try fact(stored, at: storedAt, of: number),
        registered: try fact(registration, at: registeredAt, of: number), disposedAt: disposedAt)
    } else {
      job.isPlain = false
      (job.stored, job.registration) = (stored, registration)
      var state = ColumnReader(row: row, at: stateColumn + 1)
      for group in groups { try group.read(&job, from: &state) }
    }
    job.multipart = multipart
    return job
  }

  /// The end of a condition on the job's number. Its parameter is an array of JSON, so that one statement reads many.
  static let isAmong = " IN (SELECT value FROM json_each(?))"
  private static let selectTickets: String = {
    let names = ["number"] + TicketColumns.names + IdentityColumns.names()
    return "SELECT \(names.joined(separator: ", ")) FROM job WHERE number" + isAmong
  }()
  private static let selectMany = select + " WHERE job.number" + isAmong

  static func list(_ numbers: [JobNumber]) -> String {
    "[\(numbers.map(\.description).joined(separator: ","))]"
  }

  /// Reads the jobs of these numbers, in any order.
  static func jobs(_ numbers: [JobNumber], in db: Database) throws -> [Job] {
    numbers.isEmpty ? [] : try db.all(selectMany, [list(numbers)], job)
  }

  /// Reads plain jobs that are queued for upload, of which there is nothing but their rows of `job`, in any order.
  static func plainUploads(_ numbers: [JobNumber], in db: Database) throws -> [Job] {
    if numbers.isEmpty { return [] }
    return try db.all(selectTickets, [list(numbers)]) { row in
      var reader = ColumnReader(row: row)
      let number = JobNumber(rawValue: reader.next())
      let ticket = try TicketColumns.read(from: &reader)
      return Job(number: number, ticket: ticket, identity: IdentityColumns.read(from: &reader))
    }
  }

  private static let selectOne = select + " WHERE job.number = ?"

  /// Reads the job of a number; nil if there is none.
  static func job(_ number: JobNumber, in db: Database) throws -> Job? {
    try db.first(selectOne, [number.rawValue], job)
  }

  private static func fact<Fact>(
    _ fact: Fact?, at time: Timestamp?, of number: JobNumber
  ) throws(LedgerError) -> (Fact, Timestamp)? {
    guard let fact else { return nil }
    guard let time else {
      throw LedgerError(
        .configuration, "the ledger has neither a state of job \(number) nor the time of its \(Fact.self)")
    }
    return (fact, time)
  }
}

/// The columns of a job that follow from several tables, as SQL on ``JobRow/tables``.
enum JobSQL {
  static let step = "coalesce(job_state.step, iif(stored.job IS NULL, 'upload', 'register'))"
  static let finishedAt =
    "iif(job_state.job IS NULL, registration.ended_at, job_state.finished_at)"
  static let disposedAt = "iif(job_state.job IS NULL, disposal.at, job_state.disposed_at)"
  static let size = "coalesce(job_state.size, job.size)"

  /// The condition for jobs that are done: they have ended, and so has their file.
  static let isDone =
    "iif(job_state.job IS NULL, disposal.at IS NOT NULL, "
    + "job_state.state IN ('registered', 'discarded', 'moved') AND job_state.disposed_at IS NOT NULL)"
  /// The condition for jobs that only facts describe, and that are not registered.
  static let isPlainAndUnfinished = "job_state.job IS NULL AND registration.job IS NULL"
  /// The condition for jobs whose file must be in its spool.
  static let needsFile =
    "iif(job_state.job IS NULL, registration.job IS NULL, job_state.state NOT IN ('registered', 'discarded') "
    + "AND job_state.disposed_at IS NULL AND job_state.release_to IS NULL)"

  /// The state of a job.
  ///
  /// - Parameter active: the plain jobs that are in flight, which only the writer knows.
  static func state(active: some Sequence<JobNumber>) -> String {
    let numbers = active.map(\.description).joined(separator: ", ")
    let isActive = numbers.isEmpty ? "" : "WHEN job.number IN (\(numbers)) THEN 'active' "
    return """
      (CASE WHEN job_state.job IS NOT NULL THEN job_state.state WHEN registration.job IS NOT NULL THEN 'registered' \
      \(isActive)ELSE 'queued' END)
      """
  }
}
