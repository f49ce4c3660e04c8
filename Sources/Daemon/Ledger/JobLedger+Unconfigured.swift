package import Jobs
import Messages
import SQLite

/// Jobs whose destination is no longer in the configuration. They ask a person: there is nowhere to send them.
extension JobLedger {
  /// Makes the unfinished jobs of each destination that is not configured ask a question, and forgets the destination's gate.
  ///
  /// It reads all unfinished jobs, when the configuration changes, and if jobs are queued there that came meanwhile.
  /// Returns the jobs that ask now and did not before.
  package func askAboutUnconfigured(_ isConfigured: @escaping @Sendable (Destination) -> Bool) async throws
    -> [JobNumber]
  {
    try await writer.perform { batch in batch.forgetGates(unless: isConfigured) }
    var asking: [JobNumber] = []
    let destinations = try await read { db in
      let texts: [String] = try db.column(
        "SELECT DISTINCT destination FROM job WHERE \(LedgerSchema.Condition.unfinished)")
      return try texts.map(Destination.init(stored:))
    }
    for destination in destinations where !isConfigured(destination) {
      // A million numbers take 8 MB; reading them delays no commit.
      let moving: [Int64] = try await read { db in try db.column(Self.selectMoving, [destination.text]) }
      var rest = moving.map(JobNumber.init(rawValue:))[...]
      while !rest.isEmpty {
        let page = rest.prefix(Self.page)
        rest = rest.dropFirst(Self.page)
        asking += try await writer.perform { batch in
          try page.filter { number in try batch.job(number).map { try batch.askAboutDestination(of: $0) } ?? false }
        }
      }
    }
    return asking
  }

  /// Returns the spools of the jobs whose file must be in its spool, with the number of these jobs and the first of them.
  package func spoolsOfNeededFiles() async throws -> [(spool: String, jobs: Int, first: JobNumber)] {
    try await read { db in
      try db.all(Self.selectNeededFiles, []) { row -> (String, Int64, Int64) in (row[0], row[1], row[2]) }
    }.map { ($0.0, Int($0.1), JobNumber(rawValue: $0.2)) }
  }

  /// The index alone answers it.
  static let selectNeededFiles = """
    SELECT spool, count(*), min(number) FROM job INDEXED BY job_present WHERE \(LedgerSchema.Condition.needsFile) \
    GROUP BY spool ORDER BY spool
    """

  /// The jobs that would go on to a destination by themselves.
  static let selectMoving = """
    SELECT number FROM job INDEXED BY job_present WHERE \(LedgerSchema.Condition.unfinished) \
    AND state NOT IN ('active', 'awaiting-confirmation') AND destination = ? ORDER BY number
    """

  /// Makes one job without a configured destination ask; returns it as it is now, nil if it has left the ledger.
  package func askAboutDestination(of number: JobNumber) async throws -> Job? {
    try await writer.perform { batch in
      guard let job = try batch.job(number) else { return nil }
      try batch.askAboutDestination(of: job)
      return try batch.job(number)
    }
  }

  private static let page = 256
}

extension LedgerBatch {
  /// Makes a job ask if it would continue to a destination by itself; returns true if it asks now and did not before.
  @discardableResult
  mutating func askAboutDestination(of job: Job) throws -> Bool {
    try apply(.mustAsk(Failure(.configuration, .notConfigured(name: job.destination.text))), to: job) != nil
  }
}
