package import Jobs
import Ledger
import Linux
import Reports
import Spool

/// Records beside the files of shared spools which jobs were stopped, so that no later holder of the lock sends what a person or
/// a 503 has stopped.
///
/// The record is written before the ledger commits the stop, and so before anybody gets an answer. After a crash between the two,
/// the job is stopped: the command was not answered, but somebody gave it. With a retry it is the other way round: the record is
/// removed after the commit.
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

  /// Records the end of an attempt. If a 503 aborts the job, that is recorded beside the file first.
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
      } catch is LostLock {
        return try await commit(.cut)
      } catch let error as FileError {
        // The job is aborted all the same: the server must not be asked again. Only a later holder might try it once more.
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

  /// Applies a person's command, and keeps the records beside the file in agreement with it.
  ///
  /// While this host takes the spool over, its rows may be older than what another host did with their files. So no command is
  /// accepted until the takeover is complete.
  ///
  /// - Throws: `LostLock` if this host does not hold the job's spool, is still taking it over, or lost it meanwhile; `FileError`
  ///   if what must stand beside the file cannot be written; and what the ledger throws. Then nothing was changed that counts.
  package func carryOut(
    _ command: JobCommand, on reference: JobReference, by caller: Caller, link: StoredLink?, revision: Int64?
  ) async throws -> (job: Job, step: Step) {
    guard current.now.stages.hasShared, let known = try await ledger.job(reference), let directory = shared(known)
    else {
      return try await ledger.carryOut(command, on: reference, by: caller, link: link, revision: revision)
    }
    return try await turns.run(known.ticket.id) {
      let job = try await ledger.job(reference) ?? known
      if job.state != .moved {
        try await run(job) { try directory.confirmLock() }
        guard !ledger.counts.isPaused(.standby(job.ticket.spool)) else { throw directory.takeoverInProgress }
        try await prepare(command, by: caller, link, job, directory)
      }
      do {
        let changed = try await ledger.carryOut(command, on: reference, by: caller, link: link, revision: revision)
        try await settle(changed.job, directory)
        return changed
      } catch let refusal as Refusal {
        try await settle(refusal.job, directory)
        throw refusal
      }
    }
  }

  /// Records that a file was given back; the end of the job is recorded beside the claimed file first.
  package func released(_ job: Job) async throws -> Job? {
    guard let directory = shared(job), let release = job.release else { return try await ledger.released(job.number) }
    return try await turns.run(job.ticket.id) {
      try await set(Inheritance.Stop(.discarded, by: release.by), job, directory)
      return try await ledger.released(job.number)
    }
  }

  private func prepare(
    _ command: JobCommand, by caller: Caller, _ link: StoredLink?, _ job: Job, _ directory: SpoolDirectory
  ) async throws {
    let id = job.ticket.id
    switch (command, job.state) {
    case (.cancel(let reason, let remove), _) where !job.state.isTerminal:
      try await set(Inheritance.Stop(.cancelled, remove: remove, reason: reason, by: caller), job, directory)
    case (.discard, .aborted), (.discard, .cancelled):
      let remove = try await run(job) { try directory.stop(id)?.remove ?? false }
      try await set(Inheritance.Stop(.discarded, remove: remove, by: caller), job, directory)
    case (.retry, .aborted), (.retry, .cancelled):
      // Its object was removed, or never proved: the next upload writes another link.
      if job.step == .upload { try await run(job) { try directory.removeStored(id) } }
    case (.confirm, _) where job.step == .upload && job.state.isWaiting:
      guard let link else { break }
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
      // A host that takes over after this reads the record. If one took over before, this host must not report the job as
      // stopped.
      try directory.confirmLock()
    }
  }

  /// Changes the records beside a file to what the ledger says.
  private func settle(_ job: Job, _ directory: SpoolDirectory) async throws {
    let id = job.ticket.id
    switch job.state {
    case .aborted, .cancelled, .discarded:
      if job.step == .upload, job.stored != nil { try await run(job) { try directory.removeStored(id) } }
    case .queued, .active, .deferred, .awaitingConfirmation, .awaitingCredentials, .awaitingNetwork, .registered,
      .skipped:
      try await run(job) {
        guard try directory.stop(id) != nil else { return }
        try directory.removeStop(id)
        // A host that took over before may have read the record: then this host must not report another state.
        try directory.confirmLock()
      }
    case .moved: break
    }
  }
}
