public import Jobs
public import Messages
import SQLite

/// A change in a job's history, as `show` lists it.
public struct HistoryEntry: Sendable, Hashable {
  /// The time at which it happened.
  public let at: Timestamp
  /// The kind of change.
  public let event: JobEvent.Kind
  /// The step at which it happened.
  public let step: Step
  /// The revision of the job that it made.
  public let revision: Int64?
  /// The user who asked for it, if a person did.
  public let by: Caller?
  /// The reason: the person's words, or the failure's.
  public let reason: Message?
}

extension JobLedger {
  /// Returns the beginning of the answer that was the job's last failure; nil if there is none.
  public func failedAnswer(of job: JobNumber) async throws -> String? {
    try await read { db in
      try db.value("SELECT text FROM answer WHERE job = ?", [job.rawValue])
    }
  }

  /// Returns one job, or nil.
  public func job(_ reference: JobReference) async throws -> Job? {
    return try await read { db in
      let (column, value): (String, any Bindable) =
        switch reference {
        case .number(let number): ("number", number.rawValue)
        case .id(let id): ("id", id.ledgerBytes)
        }
      return try db.first("\(JobRow.select) WHERE job.\(column) = ?", [value], JobRow.job)
    }
  }

  /// Returns true if a file may have the id that it asks for: no job has it, and none can have had it of which the ledger does not know.
  ///
  /// - Parameter history: the time for which jobs stay in the ledger after their end.
  public func isFree(_ id: JobID, history: Duration) async throws -> Bool {
    let since = try await read { db in try LedgerIdentity.began(db) }
    guard id.mayBeAskedFor(at: clock.now(), knownSince: since, history: history) else { return false }
    return try await job(.id(id)) == nil
  }

  /// Returns those of these ids under which there is no job, or one that another host went on with.
  public func withoutJob(_ ids: [JobID]) async throws -> [JobID] {
    try await read { db in
      try ids.filter { id in
        try db.first(Self.isJob, [id.ledgerBytes]) { _ in true } == nil
      }
    }
  }

  private static let isJob =
    "SELECT 1 FROM job WHERE id = ? AND state <> '\(JobState.moved.rawValue)'"

  /// Returns those of these jobs that there are, in any order.
  public func jobs(of numbers: [JobNumber]) async throws -> [Job] {
    return try await read { db in
      try JobRow.jobs(numbers, in: db)
    }
  }

  /// Returns the jobs that a filter chooses, in an order, after a given one, at most `limit`.
  public func jobs(
    _ filter: JobFilter, after: JobNumber? = nil, order: JobOrder = .oldest, limit: Int
  ) async throws -> [Job] {
    return try await read { db in
      let query = JobQuery(filter, after: after, order: order)
      return try db.all(
        "\(JobRow.select) \(query.condition) \(query.order) LIMIT ?", query.arguments + [limit]
      ) { try JobRow.job($0) }
    }
  }

  /// Returns the jobs of files of this name, the last one first, at most `limit`.
  ///
  /// - Parameters:
  ///   - spool: the spool that they were dropped into; nil for any.
  ///   - path: the directory below the spool, empty for the spool itself; nil for any.
  public func jobs(named name: FileName, spool: String?, path: [UInt8]?, limit: Int) async throws -> [Job] {
    return try await read { db in
      var condition = "ticket.name = ?"
      var arguments: [(any Bindable)?] = [name.bytes]
      if let spool {
        condition += " AND job.spool = ?"
        arguments.append(spool)
      }
      if let path {
        condition += " AND ticket.path IS ?"
        arguments.append(path.isEmpty ? nil : path)
      }
      return try db.all(
        "\(JobRow.select) WHERE \(condition) ORDER BY job.number DESC LIMIT ?", arguments + [limit]
      ) { try JobRow.job($0) }
    }
  }

  /// Returns the number of jobs that a filter chooses, by state; a state without jobs is absent.
  public func counts(of filter: JobFilter) async throws -> [JobState: Int] {
    return try await read { db in
      let query = JobQuery(filter, after: nil, order: .oldest)
      let counts = try db.all(
        "SELECT job.state, count(*) FROM job \(query.condition) GROUP BY job.state",
        query.arguments
      ) { row -> (String, Int) in (row[0], row[1]) }
      return Dictionary(
        uniqueKeysWithValues: counts.compactMap { name, count in JobState(rawValue: name).map { ($0, count) } })
    }
  }

  /// Returns the tries of a job, the oldest first.
  public func attempts(of job: JobNumber) async throws -> [Attempt] {
    try await read { db in try EventRow.attempts(of: job, in: db) }
  }

  /// Returns the events of a job, the oldest first.
  public func history(of job: JobNumber) async throws -> [HistoryEntry] {
    try await read { db in
      try db.all(
        """
        SELECT at, kind, step, job_revision, by_uid, by_user, reason FROM event \
        WHERE sequence IN (\(EventRow.ofJob)) AND kind IS NOT NULL ORDER BY sequence
        """, [job.rawValue]
      ) { row in
        var reader = ColumnReader(row: row)
        let at = Timestamp(microseconds: reader.next())
        let event: JobEvent.Kind = try reader.nextCase()
        let step: Step = try reader.nextCase()
        let revision: Int64? = reader.optional()
        let uid: UInt32? = reader.optional()
        let user: String? = reader.optional()
        let by = uid.map { Caller(uid: $0, user: user ?? String($0)) }
        let reason: String? = reader.optional()
        return HistoryEntry(
          at: at, event: event, step: step, revision: revision, by: by, reason: reason.map(Message.init(stored:)))
      }
    }
  }

  /// Returns the last change of a job that a person asked for.
  public func lastCommand(on job: JobNumber) async throws -> HistoryEntry? {
    try await history(of: job).last { $0.by != nil }
  }

  /// Returns the time at which the oldest unfinished job was admitted, by spool.
  ///
  /// It goes from spool to spool in the index, so that it costs the same for any number of jobs.
  public func oldestWaiting() async throws -> [String: Timestamp] {
    return try await read { db in
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

  /// Returns the registered and discarded jobs of a spool whose file is not yet disposed of, after a given one, at most
  /// `limit`.
  ///
  /// - Parameter known: the spools that there are, if the jobs of all that are not among them count too.
  public func undisposed(
    spool: String, orNotOf known: [String]? = nil, after: JobNumber?, limit: Int
  ) async throws -> [Job] {
    return try await read { db in
      var spools = [spool]
      if let known { spools += try Self.undisposedSpools(in: db).filter { !known.contains($0) } }
      return try db.all(
        Self.selectUndisposed(ofSpools: spools.count), spools + [after?.rawValue ?? 0, limit], JobRow.job)
    }
  }

  static func selectUndisposed(ofSpools count: Int) -> String {
    """
    \(JobRow.select) WHERE job.number IN (
      SELECT number FROM job WHERE \(LedgerSchema.Condition.undisposed)
      AND spool IN (\([String](repeating: "?", count: count).joined(separator: ", "))) AND number > ?
      ORDER BY number LIMIT ?
    ) ORDER BY job.number
    """
  }

  /// Returns the spools with files that are to be disposed of. It goes from spool to spool in the index.
  private static func undisposedSpools(in db: Database) throws -> [String] {
    let next =
      "SELECT spool FROM job WHERE \(LedgerSchema.Condition.undisposed) AND spool > ? ORDER BY spool LIMIT 1"
    var spools: [String] = []
    while let spool: String = try db.value(next, [spools.last ?? ""]) { spools.append(spool) }
    return spools
  }

  /// Returns the jobs whose file was on its way back when the last daemon ended.
  public func releasing() async throws -> [Job] {
    try await read { db in
      try db.all("\(JobRow.select) WHERE \(LedgerSchema.Condition.releasing) ORDER BY job.number", [], JobRow.job)
    }
  }
}
