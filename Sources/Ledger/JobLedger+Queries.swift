import Foundation
import GRDB
public import Jobs

/// A change in a job's history, as `show` lists it.
public struct HistoryEntry: Sendable, Hashable {
  /// The time at which it happened.
  public let at: Timestamp
  /// The kind of change.
  public let event: JobEvent.Kind
  /// The step at which it happened.
  public let step: Step
  /// The user who asked for it, if a person did.
  public let by: Caller?
  /// The reason: the person's words, or the failure's.
  public let reason: String?
}

extension JobLedger {
  /// Returns the beginning of the answer that was the job's last failure; nil if there is none.
  public func failedAnswer(of job: JobNumber) async throws -> String? {
    try await read { db in
      try String.fetchOne(db, sql: "SELECT text FROM answer WHERE job = ?", arguments: [job.rawValue])
    }
  }

  /// Returns one job, or nil.
  public func job(_ reference: JobReference) async throws -> Job? {
    try await read { db in
      let (column, value): (String, any DatabaseValueConvertible) =
        switch reference {
        case .number(let number): ("number", number.rawValue)
        case .id(let id): ("id", Data(id.ledgerBytes))
        }
      return try Row.fetchOne(db, sql: "\(JobRow.select) WHERE \(column) = ?", arguments: [value])
        .map(JobRow.job)
    }
  }

  /// Returns the jobs that a filter chooses, in an order, after a given one, at most `limit`.
  public func jobs(
    _ filter: JobFilter, after: JobNumber? = nil, order: JobOrder = .oldest, limit: Int
  ) async throws -> [Job] {
    try await read { db in
      let query = JobQuery(filter, after: after, order: order)
      var jobs: [Job] = []
      let rows = try Row.fetchCursor(
        db, sql: "\(JobRow.select) \(query.condition) \(query.order)", arguments: query.arguments)
      while jobs.count < limit, let row = try rows.next() {
        jobs.append(try JobRow.job(row))
      }
      return jobs
    }
  }

  /// Returns the number of jobs that a filter chooses, by state; a state without jobs is absent.
  public func counts(of filter: JobFilter) async throws -> [State: Int] {
    try await read { db in
      let query = JobQuery(filter, after: nil, order: .oldest)
      let rows = try Row.fetchAll(
        db, sql: "SELECT state, count(*) FROM job \(query.condition) GROUP BY state", arguments: query.arguments)
      return Dictionary(
        uniqueKeysWithValues: rows.compactMap { row in State(rawValue: row[0]).map { ($0, row[1]) } })
    }
  }

  /// Returns the tries of a job, the oldest first.
  public func attempts(of job: JobNumber) async throws -> [Attempt] {
    try await read { db in
      let rows = try Row.fetchAll(
        db,
        sql: "SELECT \(AttemptRow.columns) FROM attempt WHERE job = ? ORDER BY started_at, number",
        arguments: [job.rawValue])
      return try rows.map(AttemptRow.attempt)
    }
  }

  /// Returns the events of a job, the oldest first.
  public func history(of job: JobNumber) async throws -> [HistoryEntry] {
    try await read { db in
      let rows = try Row.fetchAll(
        db, sql: "SELECT at, kind, step, by_uid, by_user, reason FROM event WHERE job = ? ORDER BY sequence",
        arguments: [job.rawValue])
      return try rows.map { row in
        var reader = ColumnReader(row: row)
        let at = Timestamp(microseconds: reader.next())
        let event: JobEvent.Kind = try reader.nextCase()
        let step: Step = try reader.nextCase()
        let uid: UInt32? = reader.optional()
        let user: String? = reader.optional()
        let by = uid.map { Caller(uid: $0, user: user ?? String($0)) }
        return HistoryEntry(at: at, event: event, step: step, by: by, reason: reader.optional())
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
    try await read { db in
      let statement = try db.cachedStatement(
        sql: """
          SELECT spool, created_at FROM job WHERE \(LedgerSchema.Condition.unfinished) AND spool > ? \
          ORDER BY spool, created_at LIMIT 1
          """)
      var oldest: [String: Timestamp] = [:]
      var last = ""
      while let row = try Row.fetchOne(statement, arguments: [last]) {
        last = row[0]
        oldest[last] = Timestamp(microseconds: row[1])
      }
      return oldest
    }
  }

  /// Returns the registered and discarded jobs of a spool whose file is not yet disposed of, after a given one, at most
  /// `limit`.
  public func undisposed(spool: String, after: JobNumber?, limit: Int) async throws -> [Job] {
    try await read { db in
      try Row.fetchAll(
        db,
        sql: """
          \(JobRow.select) WHERE \(LedgerSchema.Condition.undisposed) AND spool = ? AND number > ? \
          ORDER BY number LIMIT ?
          """, arguments: [spool, after?.rawValue ?? 0, limit]
      ).map(JobRow.job)
    }
  }

  /// Returns the jobs whose file was on its way back when the last daemon ended.
  public func releasing() async throws -> [Job] {
    try await read { db in
      try Row.fetchAll(db, sql: "\(JobRow.select) WHERE release_to IS NOT NULL ORDER BY number")
        .map(JobRow.job)
    }
  }

  /// Returns the destinations that unfinished jobs are bound for.
  func destinations() async throws -> [String] {
    try await read { db in
      try String.fetchAll(
        db,
        sql: """
          SELECT DISTINCT destination FROM job WHERE \(LedgerSchema.Condition.unfinished)
          """)
    }
  }
}
