package import Jobs
import Messages
import SQLite

/// Recovery after a loss: stopped jobs stay stopped, and jobs that may no longer be wanted are held.
extension JobLedger {
  /// Stops again the jobs that the replaced ledger had stopped, if they are not stopped here.
  ///
  /// A job that asked a question asks again. The others are cancelled, even if they were aborted or discarded, because nothing may be
  /// deleted on the evidence of a ledger that was given up.
  package func stopAgain(by caller: Caller) async throws {
    guard mayHaveForgotten else { return }
    var last: JobID?
    while true {
      let after = last
      last = try await writer.perform { batch in
        let entries = try StoppedJobs.entries(after: after, limit: 256, in: batch.db)
        for entry in entries { try batch.stopAgain(entry, by: caller) }
        return entries.last?.id
      }
      if last == nil { return }
    }
  }

  /// Declares that every file in `.waybill` has its row and is stopped if it was stopped before. After a loss all jobs that
  /// would go on by themselves are held from now on until a person resumes them.
  /// `isLate`: true for a spool that came later than the others; `holds`: false if no file was claimed in it, so that no job must be
  /// held; `isWhole`: false if spools are still missing. Until they come, the stopped jobs without a row are kept for them, and the
  /// ledger counts as one that may have forgotten jobs.
  /// Returns the number of jobs that are held.
  @discardableResult
  package func finishRecovery(
    by caller: Caller, isLate: Bool = false, holds: Bool = true, isWhole: Bool = true
  ) async throws -> Int {
    guard mayHaveForgotten else { return 0 }
    return try await writer.perform { batch in
      try batch.write()
      if !isLate { try batch.forgetRemovals() }
      let held = holds ? batch.counts.movingByThemselves : 0
      if held > 0 { try batch.holdRecovered(held, by: caller) }
      guard isWhole else {
        try StoppedJobs.removeKnown(batch.db)
        return held
      }
      try StoppedJobs.remove(batch.db)
      try LedgerOpening.Mark.set(.none, in: batch.db)
      return held
    }
  }
}

extension LedgerCounts {
  package var movingByThemselves: Int { JobState.allCases.reduce(0) { $1.movesByItself ? $0 + jobs[$1] : $0 } }
}

extension LedgerBatch {
  fileprivate mutating func stopAgain(_ entry: StoppedJobs.Entry, by caller: Caller) throws {
    guard let number = try number(of: .id(entry.id)), let job = try job(number) else { return }
    let stopped: Job?
    switch (entry.state, job.state) {
    case (.awaitingConfirmation, _):
      let reason = entry.failure?.message ?? .reasonNotKnown
      let failure = Failure(
        entry.failure?.kind ?? .configuration, reason, status: entry.failure?.status, code: entry.failure?.code)
      stopped = try apply(.mustAsk(failure), to: job)
    case (.aborted, .aborted):
      stopped = nil
    case (_, .aborted):
      // the job was retried after that, and then stopped by a person
      let retried = try apply(.command(.retry, by: caller), to: job) ?? job
      stopped = try cancel(retried, entry, by: caller)
    case (_, let state) where !state.isTerminal:
      stopped = try cancel(job, entry, by: caller)
    default:
      stopped = nil
    }
    if let stopped { try applyAnswerToGate(job, stopped) }
  }

  private mutating func cancel(_ job: Job, _ entry: StoppedJobs.Entry, by caller: Caller) throws -> Job? {
    let reason = "it was \(entry.state.rawValue) in the ledger that this one replaces"
    return try apply(.command(.cancel(reason: reason), by: caller), to: job)
  }

  /// An object may have been wanted again since its removal was asked for.
  fileprivate func forgetRemovals() throws {
    try db.execute(
      """
      UPDATE cleanup SET aim = 'look' WHERE aim = 'remove' \
      AND id NOT IN (SELECT id FROM stopped WHERE state IN ('cancelled', 'discarded'))
      """)
  }
}
