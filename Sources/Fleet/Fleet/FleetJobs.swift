import ControlAPI
import Jobs
import Messages
import PostgreSQL

enum FleetJobs {
  /// The document of a job as the API gives it. Its number and its revision are those of the row, which commands carry.
  private static let document = FleetView.document(
    "job.doc",
    with: "'job', job.number, 'revision', job.revision, 'host', \(FleetView.name("host.name"))")

  static let tables = "waybill.job AS job JOIN waybill.host AS host USING (ledger)"

  private static let mostBytes = 8 << 20
  /// The most bytes of an event in the history of a job.
  private static let longestEvent = 16 << 10

  struct Found {
    let host: String
    let ledger: String
    let number: Int64
    let revision: Int64
    let id: JobID?
    fileprivate let document: String?

    func message() throws(ProblemDocument) -> JobMessage {
      guard let message = FleetView.message(JobMessage.self, document) else {
        throw ProblemDocument(.unknownJob, saying: .fleetDamaged(job: "\(number)", host: host))
      }
      return message
    }
  }

  /// Returns a page of the list, in the order of the jobs' ids, which ascend by time. A job that cannot be shown is left out.
  static func page(_ session: PostgreSQLSession, _ query: ListQuery) throws -> JobPage {
    var condition = FleetCondition(query.filter)
    let isAscending = query.order == .oldest
    if let place = query.after?.place {
      // a host may write an id with any characters
      let parts = place.split(separator: ".", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
      let ledger = parts[0].isEmpty ? "ffffffff-ffff-ffff-ffff-ffffffffffff" : parts[0]
      let (id, home) = (condition.mark(parts.count > 1 ? parts[1] : ""), condition.mark(ledger))
      condition.add("(job.id, job.ledger) \(isAscending ? ">" : "<") (\(id), \(home)::uuid)")
    }
    let direction = isAscending ? "ASC" : "DESC"
    let rows = try session.query(
      """
      SELECT job.id, job.ledger, \(document) FROM \(tables)
      WHERE job.id IS NOT NULL AND \(condition.sql)
      ORDER BY job.id \(direction), job.ledger \(direction) LIMIT \(query.limit + 1)
      """, condition.values
    ).rows
    // A page of the largest documents would be more than readers take.
    var (shown, bytes) = (rows.prefix(query.limit), 0)
    let end = shown.firstIndex { row in
      bytes += row[2]?.utf8.count ?? 0
      return bytes > mostBytes
    }
    if let end, end > shown.startIndex { shown = shown[..<end] }
    let jobs = shown.compactMap { FleetView.message(JobMessage.self, $0[2]) }
    let next = rows.count > shown.count ? shown.last.map { PageCursor(place: "\($0.text(1)).\($0.text(0))") } : nil
    return JobPage(jobs: jobs, next: next?.description)
  }

  /// Returns the job of a name.
  /// - Throws: ``ProblemDocument`` if there is none, or if several hosts have one.
  static func find(_ session: PostgreSQLSession, _ name: JobReference) throws -> Found {
    var condition = FleetCondition()
    switch name {
    case .id(let id): condition.add(id.description) { "job.id = \($0)" }
    case .number(let number): condition.add(String(number.rawValue)) { "job.number = \($0)::bigint" }
    case .onHost(let host, let number):
      condition = FleetCondition(hosts: [host])
      condition.add(String(number.rawValue)) { "job.number = \($0)::bigint" }
    }
    let found = try session.query(
      """
      SELECT \(FleetView.name("host.name")), job.ledger, job.number, job.revision, \(document), job.id
      FROM \(tables) WHERE \(condition.sql) LIMIT 2
      """, condition.values
    ).rows
    guard let row = found.first else { throw ProblemDocument(.unknownJob, saying: .noSuchJob(job: "\(name)")) }
    guard found.count == 1 else { throw ProblemDocument(.unknownJob, saying: .fleetAmbiguous(job: "\(name)")) }
    return Found(
      host: row.text(0), ledger: row.text(1), number: row.number(2) ?? 0, revision: row.number(3) ?? 0,
      id: row[5].flatMap { JobID($0) }, document: row[4])
  }

  /// Returns a job with its last events. The rest of what its daemon knows is not in the fleet.
  static func detail(_ session: PostgreSQLSession, _ job: Found) throws -> JobDetailMessage {
    let events = try session.query(
      """
      SELECT \(FleetView.document("event.doc", with: "", most: longestEvent)) FROM waybill.event AS event
      JOIN \(tables) ON job.ledger = event.ledger AND job.number = event.job
      WHERE event.ledger = $1::uuid AND event.job = $2::bigint AND \(FleetView.isOfJob)
      ORDER BY event.generation DESC, event.sequence DESC LIMIT 1000
      """, [job.ledger, String(job.number)]
    ).rows
    let history = events.reversed().compactMap { row in
      FleetView.message(HistoryMessage.self, row[0]).map { entry in
        var entry = entry
        (entry.byUID, entry.byUser) = (entry.by?.uid, entry.by?.user)
        return entry
      }
    }
    return JobDetailMessage(
      job: try job.message(), key: "", receipts: ReceiptsMessage(upload: nil, register: nil), history: history)
  }
}
