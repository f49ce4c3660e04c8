import Jobs
import SQLite

/// A job in the tables: its rows of `job` and `ticket`, and the receipts of servers.
enum JobRow {
  /// The tables with the facts of a job, joined. A `CROSS JOIN` keeps SQLite from beginning with the tickets.
  static let tables =
    "job CROSS JOIN ticket ON ticket.job = job.number "
    + ["stored", "registration", "multipart"].map { "LEFT JOIN \($0) ON \($0).job = job.number" }
    .joined(separator: " ")

  /// A query to which a condition is added. ``job(_:)`` reads its rows.
  static let select: String = {
    let columns: [(table: String, names: [String])] = [
      ("job", ["number"] + TicketColumns.searched), ("ticket", TicketColumns.names),
      ("job", ColumnGroups.all.flatMap { $0.names }),
      ("stored", StoredColumns.names), ("registration", RegistrationColumns.names),
      ("multipart", MultipartColumns.names),
    ]
    let names = columns.flatMap { table, names in names.map { "\(table).\($0)" } }
    return "SELECT \(names.joined(separator: ", ")) FROM \(tables)"
  }()

  /// Stands for the identity until its columns are read.
  private static let nothing = FileIdentity(device: 0, inode: 0, size: 0, modified: 0, changed: 0)

  /// - Throws: ``LedgerError`` if a row has a value that this program does not know.
  static func job(_ row: Row) throws -> Job {
    var reader = ColumnReader(row: row)
    let number = JobNumber(rawValue: reader.next())
    let ticket = try TicketColumns.read(from: &reader)
    var job = Job(number: number, ticket: ticket, identity: Self.nothing)
    for group in ColumnGroups.all { try group.read(&job, from: &reader) }
    job.stored = try StoredColumns.read(ticket, from: &reader)
    job.registration = RegistrationColumns.read(from: &reader)
    job.multipart = MultipartColumns.read(from: &reader)
    return job
  }

  /// Its parameter is an array of JSON, so that one statement reads many.
  private static let selectMany = select + " WHERE job.number IN (SELECT value FROM json_each(?))"

  /// Reads the jobs of these numbers, in any order.
  static func jobs(_ numbers: [JobNumber], in db: Database) throws -> [Job] {
    if numbers.isEmpty { return [] }
    return try db.all(selectMany, ["[\(numbers.map(\.description).joined(separator: ","))]"], job)
  }

  private static let selectID = SQL("SELECT 1 FROM job WHERE id = ?")

  /// Returns true if a job has this id.
  static func isKnown(_ id: JobID, in db: Database) throws -> Bool {
    var query = try db.binding(selectID)
    query.add(id.ledgerColumn)
    return try query.hasRow()
  }

  private static let selectOne = select + " WHERE job.number = ?"

  /// Reads the job of a number; nil if there is none.
  static func job(_ number: JobNumber, in db: Database) throws -> Job? {
    try db.first(selectOne, [number.rawValue], job)
  }
}
