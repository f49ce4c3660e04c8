import GRDB
import Jobs

/// A row of `job` with the receipts of the far sides.
enum JobRow {
  /// The groups of columns of `job` behind number and ticket, in the order in which rows are read.
  private static let groups: [any (JobColumns & SendableMetatype).Type] = [
    PlaceColumns.self, FileColumns.self, TroubleColumns.self, ReleaseColumns.self, EndColumns.self,
  ]

  /// A query to which a condition on the columns of `job` is added. ``job(_:)`` reads its rows.
  static let select: String = {
    let job = ["number"] + TicketColumns.names + groups.flatMap { $0.names }
    let receipts = [
      ("stored", StoredColumns.names), ("registration", RegistrationColumns.names),
      ("multipart", MultipartColumns.names),
    ]
    let columns = job.map { "job.\($0)" } + receipts.flatMap { table, names in names.map { "\(table).\($0)" } }
    let joins = receipts.map { "LEFT JOIN \($0.0) ON \($0.0).job = job.number" }
    return "SELECT \(columns.joined(separator: ", ")) FROM job \(joins.joined(separator: " "))"
  }()

  /// - Throws: ``LedgerError`` if a row has a value that this program does not know.
  static func job(_ row: Row) throws -> Job {
    var reader = ColumnReader(row: row)
    let number = JobNumber(rawValue: reader.next())
    let ticket = try TicketColumns.read(from: &reader)
    var job = Job(
      number: number, ticket: ticket, identity: FileIdentity(device: 0, inode: 0, size: 0, modified: 0, changed: 0))
    for group in groups { try group.read(&job, from: &reader) }
    job.stored = try StoredColumns.read(ticket, from: &reader)
    job.registration = RegistrationColumns.read(from: &reader)
    job.multipart = MultipartColumns.read(from: &reader)
    return job
  }
}
