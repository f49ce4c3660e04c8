package import Jobs
import Linux
import Seams

extension JobLedger {
  /// Makes jobs of claimed files in one commit. Files whose id is known already are skipped, but a sidecar joins the job that asks about it
  /// (``Job/awaitsSidecar``).
  /// `begun`: called on the ledger's own thread, as soon as the commit is durable, with the jobs that were begun.
  /// Returns the jobs that were begun in the same commit, up to `begin` of them.
  package func admit(
    _ admissions: [Admission], begin: Int = 0, in lanes: Lanes = .none, begun: (@Sendable ([Job]) -> Void)? = nil
  ) async throws -> [Job] {
    try await writer.perform(
      { batch in
        try batch.admit(admissions)
        return begin > 0 ? try batch.beginDue(upTo: begin, in: lanes) : []
      }, then: begun)
  }

  /// Records the end of an attempt and, in the same commit, begins the next work of its slot.
  /// `remembers`: true if the bytes of the job are remembered once it is registered.
  /// Returns the job as it is now, and the job that was begun: the same one at its next step, else one that is due.
  package func finish(
    _ job: Job, _ result: AttemptResult, remembers: Bool = false, thenTakeIn lanes: Lanes?
  ) async throws -> (job: Job?, next: Job?) {
    try await writer.perform { batch in
      if batch.counts.isWithdrawn(job) { batch.memory.position.counts.ended(job) }
      guard let current = try batch.job(job.number) else { return (nil, nil) }
      var changed = try batch.finish(current, attempt: job.attempt, result)
      if let ended = changed {
        if remembers { try batch.remember(ended) }
        if ended.ticket.parcel == .inPlace {
          try batch.keepEnd(of: ended, after: result)
          changed = try batch.waitForName(ended)
        }
      }
      let now = changed ?? current
      guard let lanes else { return (now, nil) }
      // A cleanup that goes before the jobs gets the slot.
      let overdue = batch.counts.nextCleanup(in: lanes, isFirst: true)
      if let overdue, overdue <= batch.clock.steady() { return (now, nil) }
      if let changed, changed.state == .queued, lanes.contains(changed.destination),
        batch.counts.mayStartAtOnce(changed, in: lanes), let begun = try batch.begin(changed)
      {
        return (begun, begun)
      }
      return (now, try batch.beginDue(upTo: 1, in: lanes).first)
    }
  }

  /// Makes an upload in parts durable, once the storage has begun it. Returns false if the attempt is no longer the one in flight.
  package func beganParts(_ job: Job, _ upload: MultipartUpload) async throws -> Bool {
    try await writer.perform { batch in
      guard let current = try batch.job(job.number) else { return false }
      return try batch.apply(.beganParts(attempt: job.attempt, upload), to: current)?.state == .active
    }
  }

  /// Notes that the files of finished jobs are gone, without waiting for the commit: after a crash before it, the missing file is found
  /// and noted again.
  package func disposed(_ jobs: [Job]) {
    guard !jobs.isEmpty else { return }
    writer.recordSoon { batch in
      for job in jobs {
        // the job's cleanup may have been done since
        let now = job.remote == nil ? job : try batch.job(job.number) ?? job
        _ = try batch.apply(.disposed, to: now)
      }
      Failpoint.disposalCommitting.pass()
    }
  }

  package func released(_ job: JobNumber) async throws -> Job? { try await apply(.released, to: job) }

  package func releaseFailed(_ job: JobNumber) async throws -> Job? { try await apply(.releaseFailed, to: job) }

  private func apply(_ input: JobInput, to number: JobNumber) async throws -> Job? {
    try await writer.perform { batch in
      guard let job = try batch.job(number) else { return nil }
      return try batch.apply(input, to: job) ?? job
    }
  }

  /// Applies a person's command and returns when it is durable.
  /// `link`: the stored form of the link that a confirm names; nil for every other command; `revision`: the revision that the caller saw,
  /// if the caller named one.
  /// Returns the job as it is now, and its step before.
  /// - Throws: ``UnknownJob``, or ``Refusal`` if the command does not fit the job as it is; then nothing was changed.
  package func carryOut(
    _ command: JobCommand, on reference: JobReference, by caller: Caller, link: StoredLink? = nil,
    revision: Int64? = nil
  ) async throws -> (job: Job, step: Step) {
    try await writer.perform { batch in
      guard let number = try batch.number(of: reference), let job = try batch.job(number) else {
        throw UnknownJob(reference)
      }
      if let revision, revision != job.revision { throw Refusal(job: job, reason: .revision(revision)) }
      let now = try batch.apply(.command(command, by: caller, link: link), to: job) ?? job
      if job.state.isTerminal, !now.state.isTerminal, now.ticket.parcel == .inPlace { try batch.keepAgain(now) }
      try batch.applyAnswerToGate(job, now)
      return (now, job.step)
    }
  }
}
