package import Jobs
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
    try await read { db in try ids.filter { id in try !JobRow.isKnown(id, in: db) } }
  }

  /// Returns the jobs that ask because one of these sidecars did not come. If several ask for one of the same name, nobody knows which
  /// of them it describes, and none of them is returned.
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

  /// Reads the open questions alone.
  static let selectAsking = """
    SELECT job.number, ticket.name, ticket.path FROM job CROSS JOIN ticket ON ticket.job = job.number \
    WHERE job.noticed = 'awaiting-confirmation' AND job.failure_code = ? AND job.spool = ?
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
    try await read { db in try Self.page(filter, after: after, order: order, limit: limit, in: db) }
  }

  static func page(
    _ filter: JobFilter, after: JobNumber?, order: JobOrder, limit: Int, in db: Database
  ) throws -> Page {
    guard let (query, range, last) = try query(filter, after: after, order, in: db) else { return ([], nil) }
    let jobs = try db.all(
      "\(JobRow.select) \(query.condition) ORDER BY job.number \(order == .oldest ? "" : "DESC") LIMIT ?",
      query.arguments + [limit], JobRow.job)
    let endOfRange = order == .oldest ? range.upperBound : range.lowerBound
    let end = jobs.count == limit ? jobs.last?.number.rawValue ?? 0 : endOfRange
    let isLast = order == .oldest ? end >= last : end <= 1
    return (jobs, isLast ? nil : JobNumber(rawValue: end))
  }

  /// Returns the query for the next jobs, the numbers among which it looks, and the last number that was given out; nil at the end.
  private static func query(
    _ filter: JobFilter, after: JobNumber?, _ order: JobOrder, in db: Database
  ) throws -> (query: JobQuery, range: ClosedRange<Int64>, last: Int64)? {
    let last = try LastNumbers.read(db).jobs
    let range = try range(after: after, order, upTo: last, all: JobQuery(filter).isIndexed, in: db)
    return range.map { (JobQuery(filter, in: $0), $0, last) }
  }

  /// Returns the numbers of the jobs among which a page is looked for; nil if there are none. `last` is the last number that was given
  /// out; `all` is true if an index finds them among all.
  private static func range(
    after: JobNumber?, _ order: JobOrder, upTo last: Int64, all: Bool, in db: Database
  ) throws -> ClosedRange<Int64>? {
    switch order {
    case .oldest:
      let first: Int64? = try db.value("SELECT min(number) FROM job WHERE number > ?", [after?.rawValue ?? 0])
      return first.map { $0...(all ? max($0, last) : min($0, .max - jobsOfPage) + jobsOfPage) }
    case .newest:
      let first: Int64? = try db.value("SELECT max(number) FROM job WHERE number < ?", [after?.rawValue ?? .max])
      return first.map { (all ? min(1, $0) : max($0, .min + jobsOfPage) - jobsOfPage)...$0 }
    }
  }

  /// Returns the jobs that a filter chooses, in an order, after a given one, at most `limit`; fewer only at the end.
  package func jobs(
    _ filter: JobFilter, after: JobNumber? = nil, order: JobOrder = .oldest, limit: Int
  ) async throws -> [Job] {
    var (found, next) = try await page(filter, after: after, order: order, limit: limit)
    while found.count < limit, let after = next {
      let page = try await page(filter, after: after, order: order, limit: limit - found.count)
      found += page.jobs
      next = page.next
    }
    return found
  }

  /// Returns the jobs of files of this name, the last one first, at most `limit`: of one spool or all (nil), of one directory in it or any.
  package func jobs(named name: FileName, spool: String?, path: [UInt8]?, limit: Int) async throws -> [Job] {
    var condition = "ticket.name = ?"
    var arguments: [(any Bindable & Sendable)?] = [name.bytes]
    if let spool {
      condition += " AND (SELECT job.spool FROM job WHERE job.number = ticket.job) = ?"
      arguments.append(spool)
    }
    if let path {
      condition += " AND ticket.path IS ?"
      arguments.append(path.isEmpty ? nil : path)
    }
    let (sql, terms) = (
      "SELECT job FROM ticket WHERE \(condition) AND job BETWEEN ? AND ? ORDER BY job DESC LIMIT ?", arguments
    )
    var found: [Job] = []
    var after: JobNumber?
    repeat {
      let (before, rest) = (after, limit - found.count)
      let (jobs, next): Page = try await read { db in
        guard let range = try Self.range(after: before, .newest, upTo: 0, all: false, in: db) else { return ([], nil) }
        let numbers: [Int64] = try db.column(sql, terms + [range.lowerBound, range.upperBound, rest])
        let jobs = try JobRow.jobs(numbers.map(JobNumber.init(rawValue:)), in: db).sorted { $0.number > $1.number }
        return (jobs, JobNumber(rawValue: range.lowerBound))
      }
      found += jobs
      after = next
    } while after != nil && found.count < limit
    return found
  }

  package func counts(of filter: JobFilter) async throws -> [JobState: Int] {
    var counts: [JobState: Int] = [:]
    var after: JobNumber?
    repeat {
      let before = after
      let (some, next): ([(String, Int)], JobNumber?) = try await read { db in
        guard let (query, range, last) = try Self.query(filter, after: before, .oldest, in: db) else {
          return ([], nil)
        }
        let some = try db.all(
          "SELECT job.state, count(*) FROM job \(query.condition) GROUP BY job.state", query.arguments
        ) { row -> (String, Int) in (row[0], row[1]) }
        return (some, range.upperBound < last ? JobNumber(rawValue: range.upperBound) : nil)
      }
      for (name, count) in some { if let state = JobState(rawValue: name) { counts[state, default: 0] += count } }
      after = next
    } while after != nil
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
        "\(EventRow.select) WHERE sequence IN (\(EventRow.ofJob)) ORDER BY sequence", [job.rawValue]
      ) { row in try EventRow.entry(row) { _ in current }.event }
      return entries.compactMap { entry in if case .job(let event)? = entry { event } else { nil } }
    }
  }

  /// Returns the time at which the oldest unfinished job was admitted, by spool: one step in the index for each.
  package func oldestWaiting() async throws -> [String: Timestamp] {
    try await read { db in
      var oldest: [String: Timestamp] = [:]
      var last = ""
      while let (spool, time) = try db.first(
        Self.selectOldest, [last], { row -> (String, Int64) in (row[0], row[1]) })
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

  /// Returns the registered and discarded jobs of a spool, and of those that are not `known`, whose file is not yet disposed of.
  package func undisposed(
    spool: String, orNotOf known: [String]? = nil, after: JobNumber?, limit: Int
  ) async throws -> [Job] {
    try await read { db in
      var spools = [spool]
      if let known { spools += try db.distinct(Self.selectUndisposedSpool).filter { !known.contains($0) } }
      return try db.all(
        Self.selectUndisposed(of: spools), spools + [after?.rawValue ?? 0, limit], JobRow.job)
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
}
