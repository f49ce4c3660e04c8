import Jobs
package import Ledger
import Linux
import Messages
import Spool
import Synchronization

/// Handles the jobs of shared spools: they are held while another host has the lock, taken over when this host gets it, and moved
/// away when another host has gone on with their files.
package struct Failover: Sendable {
  let ledger: JobLedger
  let current: CurrentConfiguration
  let disposals: Disposals
  let recovery: Recovery
  let pipeline: Pipeline
  private let told = ToldSpools()

  package init(
    ledger: JobLedger, current: CurrentConfiguration, disposals: Disposals, recovery: Recovery, pipeline: Pipeline
  ) {
    self.ledger = ledger
    self.current = current
    self.disposals = disposals
    self.recovery = recovery
    self.pipeline = pipeline
  }

  private static let page = 256

  private var stages: Stages { current.now.stages }

  /// Checks the lock of a shared spool at intervals until the task is cancelled, so that a file server that hangs is noticed even
  /// while no job needs it.
  func watch(_ spool: SpoolDirectory) async throws {
    while true {
      try await stages.machine.sleep(for: SpoolThreads.interval)
      if let part = stages.parts[spool.options.name] { _ = await stages.isHeld(part) }
    }
  }

  /// Handles the loss of a spool's lock: nothing more begins in the spool, and what is in flight is cut.
  func lost(_ loss: LostLock, _ spool: String) {
    standBy(
      spool,
      Occurrence(
        .spoolStandsBy, of: .spool(spool), at: stages.clock.now(), message: loss.message, reason: .text(loss.reason)))
  }

  /// Holds the jobs of a spool and cuts what is in flight: at once, and again when nothing more can begin.
  private func standBy(_ spool: String, _ occurrence: Occurrence) {
    told.insert(spool)
    ledger.standBy(spool, telling: occurrence, by: Recovery.own) { [pipeline] in pipeline.cut(spool: spool) }
    pipeline.cut(spool: spool)
  }

  /// Handles the news that another host holds a spool's lock: the jobs are moved to that host.
  func standsBy(_ spool: String, _ holder: LockHolder) async throws {
    standBy(
      spool,
      Occurrence(
        .spoolStandsBy, of: .spool(spool), at: stages.clock.now(),
        message: .standsBy(spool: spool, holder: holder.holds),
        reason: holder.since.map { .heldByHostSince(host: holder.host, since: $0) } ?? .heldByHost(host: holder.host)))
    try await moveAway(spool, to: holder.host) { _ in true }
    // That host disposes of the files of registered jobs.
    while true {
      let jobs = try await ledger.undisposed(spool: spool, after: nil, limit: Self.page)
      guard !jobs.isEmpty else { return }
      try await ledger.disposedElsewhere(jobs)
    }
  }

  /// Admits the claimed files of a spool whose lock this host has got. A file may come more than once.
  ///
  /// - Parameter isPatient: true if an error that may pass ends this try, and false if it sets its file aside.
  /// - Returns: the files that are set aside. If another host held the lock before, their jobs count as moved to that host,
  ///   because nobody knows what it sent for them.
  /// - Throws: `LostLock`, the error of the file system, or the ledger's.
  func tookOver(
    _ claims: [Claim], _ spool: String, from previous: LockHolder?, isPatient: Bool
  ) async throws -> [SetAside] {
    guard let directory = stages.spools[spool] else { return [] }
    let claims = try await recovery.identified(claims, in: directory)
    var admitted: [Claim] = []
    var inheritances: [JobID: Inheritance] = [:]
    var setAside: [SetAside] = []
    var others: [JobNumber] = []
    for claim in claims {
      let job = try await ledger.job(.id(claim.id))
      do {
        let inheritance = try await read(claim, directory, previous?.host)
        if try await isNews(inheritance, to: job, directory) { inheritances[claim.id] = inheritance }
        admitted.append(claim)
      } catch let error as FileError {
        if isPatient, error.mayPass { throw error }
        setAside.append(SetAside(claim, error))
        if previous != nil, let job { others.append(job.number) }
      }
    }
    let admissions = current.now.admissions.make(admitted, spool: spool, inheritances)
    try await ledger.takeOver(admissions, inheritances)
    if let previous { try await ledger.moveAway(others, to: previous.host) }
    Failpoint.tookOver.pass()
    for claim in admitted { try await recovery.removeAgain(claim) }
    return setAside
  }

  /// Completes a takeover, after all claimed files have become jobs: finishes what the last holder left, and lets the jobs go on.
  func holds(
    _ spool: String, from previous: LockHolder?, mover: LockHolder?, tenure: String
  ) async throws {
    guard let directory = stages.spools[spool] else { return }
    if let mover {
      try await moveAway(spool, to: mover.host) { job in
        try await stages.threads(of: spool).run {
          do throws(FileError) {
            _ = try directory.identity(job.ticket.claim)
            return false
          } catch {
            guard error.code == "ENOENT" else { throw error }
            return true
          }
        }
      }
      Failpoint.movedAway.pass()
    }
    try await recovery.returnSidecars(of: directory)
    try await stages.threads(of: spool).run {
      let recorded = Set(try directory.recordIDs())
      guard !recorded.isEmpty else { return }
      let standing = try directory.claimedIDs()
      try directory.sweepRecords { recorded.contains($0) && !standing.contains($0) }
    }
    Failpoint.recordsSwept.pass()
    try await recovery.finishReleases(of: spool)
    try await disposals.retry(spool: spool)
    var occurrence: Occurrence?
    if told.remove(spool) || previous != nil {
      occurrence = Occurrence(
        .spoolTakenOver, of: .spool(spool), at: stages.clock.now(),
        message: previous.map { .takenOverHere(spool: spool, host: DisplayText.escape($0.host)) }
          ?? .heldHere(spool: spool), reason: previous.map { .takenOverFrom(host: $0.host) })
    }
    try await ledger.beginTenure(of: spool, tenure, recording: occurrence)
    Failpoint.holdCommitted.pass()
    pipeline.wake()
  }

  /// Admits claimed files without a job: a host claimed them when it had lost the lock and did not know it yet, or they were set
  /// aside. Also puts back or removes sidecars without a document.
  ///
  /// - Returns: the files that are still set aside.
  /// - Throws: `LostLock`, the error of the file system, or the ledger's.
  func strays(_ claims: [Claim], _ spool: String) async throws -> [SetAside] {
    guard let directory = stages.spools[spool] else { return [] }
    try await recovery.returnSidecars(of: directory, isAtWork: true)
    var inheritances: [JobID: Inheritance] = [:]
    var found: [Claim] = []
    var setAside: [SetAside] = []
    for claim in claims {
      let job = try await ledger.job(.id(claim.id))
      guard job == nil || job?.state == .moved else { continue }
      do {
        let claim = job == nil ? try await whole(claim, directory) : claim
        inheritances[claim.id] = try await read(claim, directory, nil)
        found.append(claim)
      } catch let error as FileError {
        setAside.append(SetAside(claim, error))
      }
    }
    guard !found.isEmpty else { return setAside }
    // The record that was read may be of another host that has taken over.
    try await stages.threads(of: spool).run { try directory.confirmLock() }
    try await ledger.takeOver(current.now.admissions.make(found, spool: spool, inheritances), inheritances)
    pipeline.wake()
    return setAside
  }

  /// Returns a claim for which this host has no job, with the sidecar that belongs to it.
  ///
  /// - Throws: `LostLock`, or the error of the file system.
  private func whole(_ claim: Claim, _ directory: SpoolDirectory) async throws -> Claim {
    try await threads(of: directory).run {
      try directory.confirmLock()
      return try directory.withSidecarInSpool(claim)
    }
  }

  /// Returns the records beside a claimed file.
  ///
  /// - Throws: `LostLock`, or the error of the file system.
  private func read(_ claim: Claim, _ directory: SpoolDirectory, _ host: String?) async throws -> Inheritance {
    try await threads(of: directory).run {
      do throws(FileError) {
        return try directory.inheritance(claim, from: host)
      } catch {
        try directory.confirmLock()
        throw error
      }
    }
  }

  /// Returns true if the records beside a file change its job. If this host was the last holder, its ledger is right, except for
  /// what a crash kept from it; then records that are missing are written.
  private func isNews(_ inheritance: Inheritance, to job: Job?, _ directory: SpoolDirectory) async throws -> Bool {
    guard let job, inheritance.from == nil, job.state != .moved else { return true }
    let id = job.ticket.id
    switch job.state {
    case .registered, .skipped, .discarded, .moved: return false
    case .aborted, .cancelled:
      if inheritance.stop == nil {
        let stop = Inheritance.Stop(
          job.state == .aborted ? .aborted : .cancelled, by: job.state == .aborted ? nil : Recovery.own,
          failure: job.failure)
        try await threads(of: directory).run { try directory.setStop(stop, id) }
      }
      if job.step == .upload, job.stored != nil, inheritance.stored != nil {
        try await threads(of: directory).run { try directory.removeStored(id) }
      }
      return inheritance.stop?.kind == .discarded
    case .queued, .active, .deferred, .awaitingConfirmation, .awaitingCredentials, .awaitingNetwork:
      if inheritance.stop != nil { return true }
      if let link = job.link {
        if inheritance.stored == nil {
          let (record, lines) = try await Stages.record(link, of: job, ledger)
          _ = try await threads(of: directory).run { try directory.publish(record, members: lines, id) }
        }
        return false
      }
      return inheritance.stored != nil
    }
  }

  private func threads(of directory: SpoolDirectory) -> SpoolThreads { stages.threads(of: directory.options.name) }

  private func moveAway(_ spool: String, to host: String, where isGone: (Job) async throws -> Bool) async throws {
    var filter = JobFilter()
    filter.spool = spool
    filter.states = Set(JobState.allCases).subtracting([.registered, .skipped, .discarded, .moved])
    var after: JobNumber?
    while true {
      let jobs = try await ledger.jobs(filter, after: after, limit: Self.page)
      var gone: [JobNumber] = []
      for job in jobs where try await isGone(job) { gone.append(job.number) }
      try await ledger.moveAway(gone, to: host)
      guard jobs.count == Self.page else { return }
      after = jobs.last?.number
    }
  }
}

/// The shared spools for which an event said that this host stands by.
private final class ToldSpools: Sendable {
  private let names = Mutex<Set<String>>([])

  func insert(_ name: String) { names.withLock { _ = $0.insert(name) } }

  func remove(_ name: String) -> Bool { names.withLock { $0.remove(name) != nil } }
}
