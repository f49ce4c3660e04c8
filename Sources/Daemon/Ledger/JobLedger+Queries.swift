package import Jobs
import Messages
import SQLite

extension JobLedger {
  /// Returns the beginning of the answer that was the job's last failure; nil if there is none.
  package func failedAnswer(of job: JobNumber) async throws -> String? {
    try await read { db in try db.value("SELECT text FROM answer WHERE job = ?", [job.rawValue]) }
  }

  package func job(_ reference: JobReference) async throws -> Job? {
    try await read { db in
      let (column, value): (String, any Bindable) =
        switch reference {
        case .number(let number): ("number", number.rawValue)
        case .id(let id): ("id", id.ledgerBytes)
        // no number is negative
        case .onHost: ("number", Int64(-1))
        }
      return try db.first("\(JobRow.select) WHERE job.\(column) = ?", [value], JobRow.job)
    }
  }

  /// Returns true if a file may have the id that it requests: no job has it, and no job that the ledger does not know can have had it.
  /// `history` is the time for which jobs stay in the ledger.
  package func isFree(_ id: JobID, history: Duration) async throws -> Bool {
    let since = try await read { db in try LedgerIdentity.began(db) }
    guard id.mayBeAskedFor(at: clock.now(), knownSince: since, history: history) else { return false }
    return try await job(.id(id)) == nil
  }

  package func withoutJob(_ ids: [JobID]) async throws -> [JobID] {
    try await read { db in try ids.filter { id in try JobRow.number(of: id, in: db) == nil } }
  }

  /// Returns the jobs that ask because one of these sidecars did not come. If several jobs ask for the same name, nobody knows which one it
  /// describes, and none is returned.
  package func asking(
    for sidecars: Set<FileName>, _ pattern: SidecarPattern, in spool: String
  ) async throws -> [Job] {
    guard withCounts({ $0.jobs[.awaitingConfirmation] > 0 }) else { return [] }
    let numbers = try await read { db in
      try db.all(Self.selectAsking, [Failure.sidecarCode, spool]) { row -> JobNumber? in
        let path: [UInt8]? = row.isNull(2) ? nil : row[2]
        let document = FileName(FileName(bytes: row[1]), in: path ?? [])
        return sidecars.contains(pattern.sidecar(of: document)) ? JobNumber(rawValue: row[0]) : nil
      }.compactMap(\.self)
    }
    let jobs = try await jobs(of: numbers).filter(\.awaitsSidecar)
    let byName = Dictionary(grouping: jobs) { pattern.sidecar(of: $0.ticket.dropped) }
    return byName.values.filter { $0.count == 1 }.joined().sorted { $0.number < $1.number }
  }

  static let selectAsking = """
    SELECT job.number, ticket.name, ticket.path FROM job CROSS JOIN ticket ON ticket.job = job.number \
    CROSS JOIN trouble ON trouble.job = job.number \
    WHERE job.noticed = 'awaiting-confirmation' AND trouble.failure_code = ? AND job.spool = ?
    """

  package func jobs(of numbers: [JobNumber]) async throws -> [Job] {
    try await read { db in try JobRow.jobs(numbers, in: db) }
  }

  /// The number of jobs that are read for a page: searches without an index go in such steps, so that no reading takes long.
  static let jobsOfPage: Int64 = 1 << 15

  /// Some jobs, and the one after which the next page goes on; nil at the end.
  package typealias Page = (jobs: [Job], next: JobNumber?)

  /// Returns the jobs that a filter chooses, in an order, after a given one, at most `limit`. They may be fewer, or none, before the end.
  package func page(
    _ filter: JobFilter, after: JobNumber? = nil, order: JobOrder = .oldest, limit: Int
  ) async throws -> Page {
    try await read { db in try Self.page(JobQuery(filter), after: after, order: order, limit: limit, in: db) }
  }

  static func page(
    _ query: JobQuery, after: JobNumber?, order: JobOrder, limit: Int, in db: Database
  ) throws -> Page {
    guard let (range, next) = try range(of: query, after: after, order, in: db) else { return ([], nil) }
    let jobs = try db.all(
      "\(JobRow.select) \(query.condition) ORDER BY job.number \(order == .oldest ? "" : "DESC") LIMIT ?",
      query.arguments + [range.lowerBound, range.upperBound, limit], JobRow.job)
    let edge = order == .oldest ? range.upperBound : range.lowerBound
    return (jobs, jobs.count == limit && jobs.last?.number.rawValue != edge ? jobs.last?.number : next)
  }

  /// Returns the numbers of the next jobs among which a query looks, and the number after which it goes on; nil at the end.
  private static func range(
    of query: JobQuery, after: JobNumber?, _ order: JobOrder, in db: Database
  ) throws -> (ClosedRange<Int64>, next: JobNumber?)? {
    switch order {
    case .oldest:
      let first: Int64? = try db.value("SELECT min(number) FROM job WHERE number > ?", [after?.rawValue ?? 0])
      let last = try LastNumbers.read(db).jobs
      return first.map { first in
        let end = query.isIndexed ? max(first, last) : min(max(first, last), first +| jobsOfPage)
        return (first...end, end < last ? JobNumber(rawValue: end) : nil)
      }
    case .newest:
      let last: Int64? = try db.value("SELECT max(number) FROM job WHERE number < ?", [after?.rawValue ?? .max])
      return last.map { last in
        let start = query.isIndexed ? min(1, last) : max(min(1, last), last -| jobsOfPage)
        return (start...last, start > 1 ? JobNumber(rawValue: start) : nil)
      }
    }
  }

  /// Returns the jobs that a filter chooses, in an order, after a given one, at most `limit`; fewer only at the end.
  package func jobs(
    _ filter: JobFilter, after: JobNumber? = nil, order: JobOrder = .oldest, limit: Int
  ) async throws -> [Job] {
    try await jobs(after: after, order: order, limit: limit) { JobQuery(filter) }
  }

  /// Returns the jobs of files of this name, the last one first, at most `limit`: of one spool or all (nil), of one directory in it or any.
  package func jobs(named name: FileName, spool: String?, path: [UInt8]?, limit: Int) async throws -> [Job] {
    try await jobs(after: nil, order: .newest, limit: limit) { JobQuery(named: name, spool: spool, path: path) }
  }

  private func jobs(
    after: JobNumber?, order: JobOrder, limit: Int, _ query: @escaping @Sendable () -> JobQuery
  ) async throws -> [Job] {
    var found: [Job] = []
    var cursor = after
    repeat {
      let (after, rest) = (cursor, limit - found.count)
      let page = try await read { db in try Self.page(query(), after: after, order: order, limit: rest, in: db) }
      found += page.jobs
      cursor = page.next
    } while cursor != nil && found.count < limit
    return found
  }

  package func counts(of filter: JobFilter) async throws -> [JobState: Int] {
    var counts: [JobState: Int] = [:]
    var cursor: JobNumber?
    repeat {
      let after = cursor
      let (some, next): ([(String, Int)], JobNumber?) = try await read { db in
        let query = JobQuery(filter)
        guard let (range, next) = try Self.range(of: query, after: after, .oldest, in: db) else { return ([], nil) }
        let some = try db.all(
          "SELECT job.state, count(*) FROM job \(query.condition) GROUP BY job.state",
          query.arguments + [range.lowerBound, range.upperBound]
        ) { row -> (String, Int) in (row[0], row[1]) }
        return (some, next)
      }
      for (name, count) in some { if let state = JobState(rawValue: name) { counts[state, default: 0] += count } }
      cursor = next
    } while cursor != nil
    return counts
  }

  package func attempts(of job: JobNumber) async throws -> [Attempt] {
    try await read { db in try EventRow.attempts(of: job, in: db) }
  }

  /// Returns the events of a job, the oldest first. The changing facts of the job are as they were then; the rest is as it is now.
  package func history(of job: JobNumber) async throws -> [JobEvent] {
    try await read { db in
      guard let current = try JobRow.job(job, in: db) else { return [] }
      let entries = try db.all(
        "\(EventRow.select) \(EventRow.withDetails) WHERE event.sequence IN (\(EventRow.ofJob)) ORDER BY event.sequence",
        [job.rawValue]
      ) { row in try EventRow.entry(row) { _ in current }.event }
      return entries.compactMap { entry in if case .job(let event)? = entry { event } else { nil } }
    }
  }

  /// Returns the time at which the oldest unfinished job was admitted, by spool: one step in the index for each.
  package func oldestWaiting() async throws -> [String: Timestamp] {
    try await read { db in
      var oldest: [String: Timestamp] = [:]
      var last = ""
      while let (spool, time) = try db.first(Self.selectOldest, [last], { row -> (String, Int64) in (row[0], row[1]) })
      {
        last = spool
        oldest[spool] = Timestamp(microseconds: time)
      }
      return oldest
    }
  }

  static let selectOldest = """
    SELECT spool, created_at FROM job WHERE \(LedgerSchema.Condition.unfinished) AND spool > ? \
    ORDER BY spool, number LIMIT 1
    """

  /// Returns the jobs of a spool, and of all spools that are not `known`, that are done and whose file is not yet disposed of.
  package func undisposed(
    spool: String, orNotOf known: [String]? = nil, after: JobNumber?, limit: Int
  ) async throws -> [Job] {
    try await read { db in
      var spools = [spool]
      if let known { spools += try db.distinct(Self.selectUndisposedSpool).filter { !known.contains($0) } }
      return try db.all(Self.selectUndisposed(of: spools), spools + [after?.rawValue ?? 0, limit], JobRow.job)
    }
  }

  static func selectUndisposed(of spools: [String]) -> String {
    """
    \(JobRow.select) WHERE job.number IN (
      SELECT number FROM job WHERE \(LedgerSchema.Condition.undisposed)
      AND spool IN (\(spools.marks)) AND number > ?
      ORDER BY number LIMIT ?
    ) ORDER BY job.number
    """
  }

  private static let selectUndisposedSpool =
    "SELECT spool FROM job WHERE \(LedgerSchema.Condition.undisposed) AND spool > ? ORDER BY spool LIMIT 1"

  /// Returns the jobs whose release was under way when the last daemon ended.
  package func releasing() async throws -> [Job] {
    try await read { db in
      try db.all("\(JobRow.select) WHERE \(LedgerSchema.Condition.releasing) ORDER BY job.number", [], JobRow.job)
    }
  }

  /// Returns the spools of the jobs whose file must be in its spool, with the number of these jobs and the first of them.
  package func spoolsOfNeededFiles() async throws -> [(spool: String, jobs: Int, first: JobNumber)] {
    try await read { db in
      try db.all(Self.selectNeededFiles, []) { row -> (String, Int64, Int64) in (row[0], row[1], row[2]) }
    }.map { ($0.0, Int($0.1), JobNumber(rawValue: $0.2)) }
  }

  static let selectNeededFiles = """
    SELECT spool, count(*), min(number) FROM job INDEXED BY job_present WHERE \(LedgerSchema.Condition.needsFile) \
    GROUP BY spool ORDER BY spool
    """
}
