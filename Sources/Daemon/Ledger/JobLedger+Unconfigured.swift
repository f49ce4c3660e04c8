public import Jobs
import SQLite

/// Jobs whose destination is no longer in the configuration. They ask a person: there is nowhere to send them.
extension JobLedger {
  /// Makes the unfinished jobs of each destination that is not configured ask a question, and forgets the destination's gate.
  ///
  /// It reads all unfinished jobs, for the times at which the configuration changes. What comes later is ``askAboutStrays(_:)``.
  ///
  /// - Parameter isConfigured: returns true for a destination that the configuration has.
  /// - Returns: the jobs that ask now and did not before.
  public func askAboutUnconfigured(_ isConfigured: @escaping @Sendable (String) -> Bool) async throws -> [JobNumber] {
    var asking: [JobNumber] = []
    try await writer.perform { batch in batch.forgetGates(unless: isConfigured) }
    for destination in try await destinations() where !isConfigured(destination) {
      while true {
        let jobs = try await ask { try $0.unfinishedPlain(at: destination, limit: Self.page) }
        if jobs.isEmpty { break }
        asking += jobs
      }
      var last = JobNumber(rawValue: 0)
      while true {
        let after = last
        let jobs = try await ask { try $0.unfinished(at: destination, after: after, limit: Self.page) }
        guard let end = jobs.last else { break }
        asking += jobs
        last = end
      }
    }
    return asking
  }

  /// Makes the jobs ask that are queued at a destination which is not configured: they were admitted, or came due, while that
  /// changed. It reads no others.
  public func askAboutStrays(_ isConfigured: @escaping @Sendable (String) -> Bool) async throws {
    var isMore = true
    while isMore {
      isMore = try await writer.perform { batch in
        batch.forgetGates(unless: isConfigured)
        let stray = batch.memory.position.counts.queued.first { $0.value > 0 && !isConfigured($0.key) }
        guard let stray else { return false }
        let jobs = try batch.queued(at: stray.key, limit: Self.page)
        for job in jobs { try batch.askAboutDestination(of: job) }
        return !jobs.isEmpty
      }
    }
  }

  /// Makes one job ask whose destination is not configured.
  ///
  /// - Returns: the job as it is now; nil if it has left the ledger.
  public func askAboutDestination(of number: JobNumber) async throws -> Job? {
    try await writer.perform { batch in
      guard let job = try batch.job(number) else { return nil }
      try batch.askAboutDestination(of: job)
      return try batch.job(number)
    }
  }

  private func ask(_ some: @escaping @Sendable (inout LedgerBatch) throws -> [Job]) async throws -> [JobNumber] {
    try await writer.perform { batch in
      let jobs = try some(&batch)
      for job in jobs { try batch.askAboutDestination(of: job) }
      return jobs.map(\.number)
    }
  }

  private static let page = 256
}

extension LedgerBatch {
  /// Makes a job ask that would go on to a destination by itself.
  mutating func askAboutDestination(of job: Job) throws {
    guard !job.state.isTerminal, job.state != .active, job.state != .awaitingConfirmation else { return }
    _ = try apply(.mustAsk(Failure(.configuration, "\(job.destination) is no longer configured")), to: job)
  }

  /// Returns some of the jobs that are queued at a destination, as ``LedgerCounts/queued`` counts them.
  mutating func queued(at destination: String, limit: Int) throws -> [Job] {
    try write()
    return try [false, true].flatMap { isLarge in
      let paused = memory.position.counts.pausedSpools
      let plain = memory.plain.first(limit, at: destination, isLarge: isLarge, besides: paused)
      return try JobRow.jobs(plain, in: db) + db.all(Self.firstQueued, [destination, isLarge, limit], JobRow.job)
    }
  }
}
