package import Jobs
import Ledger
import Linux
import Reports
import Spool

/// Keeps the ends of jobs beside their files in shared spools, so that no successor sends what a person or a 503 has stopped.
///
/// The end stands beside the file before the ledger has it, and so before anybody is told. Where a crash comes between the two,
/// the job is stopped: the command was not answered, but somebody wanted it. A retry goes the other way round.
package struct StopRecords: Sendable {
  let ledger: JobLedger
  let current: CurrentConfiguration
  private let turns = Turns<JobID>()

  init(ledger: JobLedger, current: CurrentConfiguration) {
    self.ledger = ledger
    self.current = current
  }

  private func shared(_ job: Job) -> SpoolDirectory? {
    guard let directory = current.now.stages.parts[job.ticket.spool]?.directory, directory.isShared else { return nil }
    return directory
  }

  private func run<Value: Sendable>(
    _ job: Job, _ body: @escaping @Sendable () throws -> Value
  ) async throws -> Value {
    try await current.now.stages.threads(of: job).run(body)
  }

  /// Records the end of an attempt. If a 503 aborts the job, that stands beside the file first.
  func end(
    _ job: Job, _ result: AttemptResult,
    commit: (AttemptResult) async throws -> (job: Job?, next: Job?)
  ) async throws -> (job: Job?, next: Job?) {
    guard case .failed(let failure, .abort) = result, let directory = shared(job) else {
      return try await commit(result)
    }
    return try await turns.run(job.ticket.id) {
      do {
        try await set(Inheritance.Stop(.aborted, failure: failure), job, directory)
      } catch is LostHold {
        return try await commit(.cut)
      } catch let error as FileError {
        // It is aborted all the same: the server must be left alone. Only a successor might try it once more.
        current.now.stages.trouble.report(
          SpoolProblem(
            directory.options, .record,
            "that job \(job.number) is aborted does not stand beside its file: \(error.words)",
            remedy: "see that files can be made in \(directory.options.path)/.waybill", errno: error.errno))
      }
      let ended = try await commit(result)
      if let now = ended.job { try await settle(now, directory) }
      return ended
    }
  }

  /// Applies a person's command, and keeps what stands beside the file in step with it.
  ///
  /// - Throws: `LostHold` if this host does not hold the job's spool, or lost it meanwhile; `FileError` if what must stand beside
  ///   the file cannot be written; and what the ledger throws. Then nothing was changed that counts.
  package func answer(
    _ reference: JobReference, _ answer: Answer, revision: Int64?
  ) async throws -> (job: Job, step: Step) {
    guard current.now.stages.hasShared, let known = try await ledger.job(reference), let directory = shared(known)
    else {
      return try await ledger.answer(reference, answer, revision: revision)
    }
    return try await turns.run(known.ticket.id) {
      let job = try await ledger.job(reference) ?? known
      if job.state != .moved {
        try await run(job) { try directory.confirmHold() }
        try await prepare(answer, job, directory)
      }
      do {
        let answered = try await ledger.answer(reference, answer, revision: revision)
        try await settle(answered.job, directory)
        return answered
      } catch let refusal as Refusal {
        try await settle(refusal.job, directory)
        throw refusal
      }
    }
  }

  /// Records that a file was given back. That it is over stands beside the claimed name first.
  package func released(_ job: Job) async throws -> Job? {
    guard let directory = shared(job), let release = job.release else { return try await ledger.released(job.number) }
    return try await turns.run(job.ticket.id) {
      try await set(Inheritance.Stop(.discarded, by: release.by), job, directory)
      return try await ledger.released(job.number)
    }
  }

  private func prepare(_ answer: Answer, _ job: Job, _ directory: SpoolDirectory) async throws {
    let id = job.ticket.id
    switch (answer, job.state) {
    case (.cancel(let cancellation), _) where !job.state.isTerminal:
      let stop = Inheritance.Stop(
        .cancelled, remove: cancellation.remove, reason: cancellation.reason, by: cancellation.by)
      try await set(stop, job, directory)
    case (.discard(let by), .aborted), (.discard(let by), .cancelled):
      let remove = try await run(job) { try directory.stop(id)?.remove ?? false }
      try await set(Inheritance.Stop(.discarded, remove: remove, by: by), job, directory)
    case (.retry, .aborted), (.retry, .cancelled):
      // Its object was removed, or never proved: the next upload writes another link.
      if job.step == .upload { try await run(job) { try directory.removeStored(id) } }
    case (.confirm(_, let link?), _) where job.step == .upload && job.state.isWaiting:
      let (record, lines) = try await Stages.record(link, of: job, ledger)
      let standing = try await run(job) { try directory.publish(record, members: lines, id) }
      guard standing.stored.link == link.link else {
        throw FileError(
          "use \(link.link) for", path: job.ticket.name.shown, errno: 17,
          advice: "another link stands beside the file: \(standing.stored.link)")
      }
    default: break
    }
  }

  private func set(_ stop: Inheritance.Stop, _ job: Job, _ directory: SpoolDirectory) async throws {
    try await run(job) {
      try directory.setStop(stop, job.ticket.id)
      // A successor reads it if it took over after this; if before, this host must not say that it is stopped.
      try directory.confirmHold()
    }
  }

  /// Makes what stands beside a file what the ledger says.
  private func settle(_ job: Job, _ directory: SpoolDirectory) async throws {
    let id = job.ticket.id
    switch job.state {
    case .aborted, .cancelled, .discarded:
      if job.step == .upload, job.stored != nil { try await run(job) { try directory.removeStored(id) } }
    case .queued, .active, .deferred, .awaitingConfirmation, .awaitingCredentials, .awaitingNetwork, .registered:
      try await run(job) {
        guard try directory.stop(id) != nil else { return }
        try directory.removeStop(id)
        // A successor that read it before must not be contradicted: this host says nothing of a job that it lost meanwhile.
        try directory.confirmHold()
      }
    case .moved: break
    }
  }
}
