import Jobs
package import Ledger
import Linux
import Messages
package import Reports
import Seams
import Settings
package import Spool
import Synchronization

/// Makes the ledger and the spools agree at start, before anything new is claimed, after whatever a crash left ("What a crash leaves"
/// in ARCHITECTURE.md).
///
/// A spool that cannot be used at the start is late: its jobs are held until its run has handed over its claimed files
/// (``adoptAll(_:of:)``). A spool whose files stay in place has no claims and is never late.
package final class Recovery: Sendable {
  let ledger: JobLedger
  let current: CurrentConfiguration
  let disposals: Disposals
  let journal: EventLog
  private struct Late {
    /// The spools whose claimed files are not all in the ledger yet: they could not be used, or read, when the daemon first opened them.
    var spools: Set<String> = []
    /// True if the recovery of the start waits for some of them. A spool that a reload adds does not count.
    var recoversFromLoss = false
  }

  private let late = Mutex(Late())

  package init(ledger: JobLedger, current: CurrentConfiguration, disposals: Disposals, journal: EventLog) {
    self.ledger = ledger
    self.current = current
    self.disposals = disposals
    self.journal = journal
  }

  private static let batch = 256

  /// The user that the history names for recovery's own actions.
  static let own = Caller(uid: ProcessRights.user, user: "waybilld")

  var stages: Stages { current.now }
  private var lateSpools: Set<String> { late.withLock(\.spools) }

  /// Recovers the spools; throws the ledger's error, or a `SpoolProblem` of cause `sync`.
  package func run() async throws {
    let own = stages.spools.sorted { $0.key < $1.key }
    late.withLock { $0.spools = Set(own.filter { isLate($0.value) }.map(\.key)) }
    ledger.setGrantors(stages.grantors)
    endHolds()
    for name in lateSpools.sorted() { ledger.holdLate(name, by: Self.own) }
    Failpoint.recoveryBegun.pass()
    for (name, spool) in own where !lateSpools.contains(name) {
      try await unlessUnreadable(spool) { _ = try await admitAll(try spool.claimBatches(), to: spool) }
    }
    try await ledger.stopAgain(by: Self.own)
    try await finishReleases { name in
      // A release whose spool is not configured ends as failed: otherwise it would block its job for ever.
      !lateSpools.contains(name)
    }
    Failpoint.recoveryDisposing.pass()
    for (name, _) in own where !lateSpools.contains(name) { try await disposals.retry(spool: name) }
    _ = try await ledger.askAboutUnconfigured { [stages] in stages.isConfigured($0) }
    late.withLock { $0.recoversFromLoss = !$0.spools.isEmpty }
    try await ledger.finishRecovery(by: Self.own, isWhole: lateSpools.isEmpty)
    Failpoint.recoveryDone.pass()
  }

  /// Ends the hold on the jobs of spools that are not late. Jobs of a spool that is not configured ask a person.
  private func endHolds() {
    for pause in ledger.counts.pauses {
      guard case .late(let name) = pause.target, !lateSpools.contains(name) else { continue }
      ledger.endLate(name)
    }
  }

  /// Recovers the new spools of a reload, and ends the waits for removed ones. It throws like ``run()``.
  package func run(_ new: [SpoolDirectory]) async throws {
    let configured = Set(stages.spools.keys)
    let gone = lateSpools.subtracting(configured).sorted()
    late.withLock { $0.spools.subtract(gone) }
    endHolds()
    // Otherwise a release that waits for a removed spool would block its job for ever.
    for name in gone { try await finishReleases { $0 == name } }
    for spool in new { try await run(spool) }
  }

  private func run(_ spool: SpoolDirectory) async throws {
    if isLate(spool) { return putOff(spool.options.name) }
    guard spool.status.isPresent else { return }
    try await unlessUnreadable(spool) {
      try await recover(spool, from: try await stages.workers.run { try spool.claimBatches() })
      try await disposals.retry(spool: spool.options.name)
    }
  }

  /// True if the jobs of a spool must be held, because claimed files may be in it and it cannot be used now.
  ///
  /// A missing medium holds no job: each job notices that by itself, and jobs that need no file continue. But claims from another `after`
  /// that are left on the medium would be missing.
  private func isLate(_ spool: SpoolDirectory) -> Bool {
    if spool.status.isPresent { return false }
    return !spool.options.keepsFiles || spool.refusal?.cause == .kept
  }

  private func putOff(_ name: String) {
    late.withLock { _ = $0.spools.insert(name) }
    ledger.holdLate(name, by: Self.own)
  }

  /// Throws if the whole spool has to be late, because files could not be read and the ledger may have forgotten sent files. Otherwise
  /// files that could not be read get their jobs while the spool runs.
  private func requireAll(but setAside: [SetAside]) async throws {
    guard ledger.mayHaveForgotten, !setAside.isEmpty else { return }
    let ids = Set(try await ledger.withoutJob(setAside.map(\.id)))
    if let first = setAside.first(where: { ids.contains($0.id) }) { throw first.error }
  }

  private func unlessUnreadable(_ spool: SpoolDirectory, _ body: () async throws -> Void) async throws {
    do {
      try await body()
    } catch let error as FileError {
      journal.notice("spool \(spool.options.name): \(error.words); what is claimed in it is taken up later")
      // The spool has no claims, and its run notices that it is gone.
      if spool.options.keepsFiles { return }
      spool.handOverLater()
      putOff(spool.options.name)
    }
  }

  /// Admits all claimed files of a spool that is available again, or for the first time.
  func adoptAll(_ claims: Batches<ClaimListing>, of name: String) async throws {
    guard let spool = stages.spools[name] else { return }
    try await recover(spool, from: claims, isBack: !lateSpools.contains(name))
  }

  /// Admits all claimed files of a spool. If it was late, finishes what was interrupted there, and ends the hold on its jobs.
  private func recover(_ spool: SpoolDirectory, from claims: Batches<ClaimListing>, isBack: Bool = false) async throws {
    let name = spool.options.name
    let hadClaims = try await admitAll(claims, to: spool, isBack: isBack)
    let (isLate, recoversFromLoss) = late.withLock { ($0.spools.contains(name), $0.recoversFromLoss) }
    guard isLate else { return }
    if recoversFromLoss { try await ledger.stopAgain(by: Self.own) }
    try await finishReleases { $0 == name }
    try await disposals.retry(spool: name)
    late.withLock { _ = $0.spools.remove(name) }
    if recoversFromLoss {
      try await ledger.finishRecovery(by: Self.own, isLate: true, holds: hadClaims, isWhole: lateSpools.isEmpty)
      late.withLock { $0.recoversFromLoss = !$0.spools.isEmpty }
    }
    ledger.endLate(name)
  }

  /// Admits the claimed files of a spool, and puts back the sidecars whose documents were not claimed; returns true if there were any.
  /// Files that request an id come last: by then every other file has its row, so the ledger knows all ids in use. `isBack` is true for a
  /// spool that was away and whose jobs may be at work.
  private func admitAll(
    _ claims: Batches<ClaimListing>, to spool: SpoolDirectory, isBack: Bool = false
  ) async throws -> Bool {
    var asking: [Claim] = []
    var hadClaims = false
    while case let batch = try await stages.workers.run({ try claims.next(upTo: Self.batch) }), !batch.isEmpty {
      hadClaims = true
      asking += try await admitOthers(batch, to: spool)
    }
    try await admitAsking(asking, to: spool)
    if !isBack { try await requireAll(but: claims.setAside) }
    try await returnSidecars(of: spool, isBack: isBack)
    return hadClaims
  }

  func adopt(_ claims: [Claim], of name: String) async throws {
    guard let spool = stages.spools[name] else { return }
    try await admitAsking(try await admitOthers(claims, to: spool), to: spool)
  }

  /// Admits claimed files under the names and ids that they carry, and returns those that are to get the id that they ask for.
  private func admitOthers(_ claims: [Claim], to spool: SpoolDirectory) async throws -> [Claim] {
    var (asking, others): ([Claim], [Claim]) = ([], [])
    for claim in claims {
      if try await asksForId(claim) { asking.append(claim) } else { others.append(claim) }
    }
    try await admit(try await identified(others, in: spool), to: spool)
    return asking
  }

  private func admitAsking(_ asking: [Claim], to spool: SpoolDirectory) async throws {
    var taken = Set(asking.map(\.id))
    for start in stride(from: 0, to: asking.count, by: Self.batch) {
      let claims = asking[start..<min(start + Self.batch, asking.count)]
      try await admit(try await renamed(claims, in: spool, &taken), to: spool)
    }
  }

  private func admit(_ claims: [Claim], to spool: SpoolDirectory) async throws {
    Failpoint.recoveryIdentified.pass()
    var admissions = stages.prepareAdmissions(of: claims, in: spool.options.name)
    if ledger.mayHaveForgotten {
      for index in admissions.indices {
        admissions[index].mayBeStored = true
        admissions[index].mayBeForgotten = true
      }
    }
    _ = try await ledger.admit(admissions)
    Failpoint.recoveryAdmitted.pass()
    for claim in claims { try await reconcile(claim, of: spool) }
  }

  /// Returns true for a file without a job that requests an id, unless the ledger may have forgotten that it was sent under the one it
  /// carries.
  private func asksForId(_ claim: Claim) async throws -> Bool {
    guard !ledger.mayHaveForgotten, claim.wantedID != nil else { return false }
    return try await ledger.job(.id(claim.id)) == nil
  }

  /// Returns the claims with the ids that they get: the id that a file carries, or a new one if a job of another file has that id.
  private func identified(_ claims: [Claim], in spool: SpoolDirectory) async throws -> [Claim] {
    var random = stages.machine.random
    return try await moved(claims, in: spool) { claim in
      guard let job = try await ledger.job(.id(claim.id)), await isCopy(claim, of: job, in: spool) else { return nil }
      return JobID.mint(at: stages.clock.now(), random: &random)
    }
  }

  /// Returns true if a claim has the id of a job whose own file is another one, as when a spool's directory was copied.
  ///
  /// A renamed or moved spool still has the files of its jobs. These files keep their ids: under new ids all would be sent again, even
  /// those that a person has stopped.
  private func isCopy(_ claim: Claim, of job: Job, in spool: SpoolDirectory) async -> Bool {
    let ticket = job.ticket
    if ticket.dropped != claim.dropped { return true }
    if ticket.spool == spool.options.name { return false }
    // The job's file may have been recorded as gone while its spool's name meant another directory: this claim may be that file.
    if job.disposedAt != nil { return !claim.identity.isUnwritten(since: job.identity) }
    guard let own = stages.spools[ticket.spool] else { return false }
    // Ignored: a file that cannot be checked there may be gone. Then this claim is the job's own file.
    return (try? await stages.workers.run { try own.held().stands(ticket.claim) }) == true
  }

  /// Returns the claims with the ids that they request, if these are free; `taken` are the ids of files that have no row yet.
  private func renamed(
    _ claims: ArraySlice<Claim>, in spool: SpoolDirectory, _ taken: inout Set<JobID>
  ) async throws -> [Claim] {
    let history = current.now.configuration.daemon.history
    return try await moved(claims, in: spool) { claim in
      guard let wanted = claim.wantedID, !taken.contains(wanted), try await ledger.isFree(wanted, history: history)
      else { return nil }
      taken.insert(wanted)
      return wanted
    }
  }

  private func moved(
    _ claims: some Sequence<Claim>, in spool: SpoolDirectory, to id: (Claim) async throws -> JobID?
  ) async throws -> [Claim] {
    var staying: [Claim] = []
    var moving: [(claim: Claim, id: JobID)] = []
    for claim in claims {
      if let id = try await id(claim) { moving.append((claim, id)) } else { staying.append(claim) }
    }
    guard !moving.isEmpty else { return staying }
    let held = try spool.held()
    do throws(FileError) {
      return staying
        + (try held.adopt(
          moving, for: .recovery,
          refused: { claim, error in journal.error("\(claim.name.shown) keeps the id \(claim.id): \(error.words)") },
          unseen: { claim, _, error in journal.notice("\(claim.name.shown) is taken up later: \(error.words)") }))
    } catch {
      // Trying a failed fsync again would not prove that the renames are on disk.
      throw SpoolProblem(spool.options, .sync, error.message, remedy: .lookAfterDisk, errno: error.errno)
    }
  }

  /// Puts back a late sidecar whose job has not taken it, because somebody answered meanwhile. Disposes once more of a file whose disposal
  /// is recorded: a removal is not fsynced, so a power cut may bring the file back.
  private func reconcile(_ claim: Claim, of spool: SpoolDirectory) async throws {
    guard let job = try await ledger.job(.id(claim.id)) else { return }
    if claim.sidecar != nil, job.ticket.parcel.sidecar == nil,
      let problem = try await stages.workers.run({ try spool.putBackSidecar(of: claim) })
    {
      stages.trouble.report(problem)
    }
    if job.disposedAt != nil { try await disposals.dispose(of: job) }
  }

  /// Puts back the sidecars whose documents were not claimed because of a crash, or whose jobs did not take them. If the document was
  /// disposed of, its job's disposal handles the sidecar; a sidecar that a power cut brought back is removed again.
  private func returnSidecars(of spool: SpoolDirectory, isBack: Bool) async throws {
    let stranded = try await stages.workers.run { try spool.strandedSidecars() }
    while case let batch = try await stages.workers.run({ try stranded.next(upTo: Self.batch) }), !batch.isEmpty {
      // The document of a sidecar with two ids may be getting the other id now. The next start removes the name that is left.
      for sidecar in batch where !(isBack && sidecar.stands) { try await reconcile(sidecar, of: spool) }
    }
  }

  private func reconcile(_ sidecar: StrandedSidecar, of spool: SpoolDirectory) async throws {
    let job = try await ledger.job(.id(sidecar.id))
    let isOwn =
      job.map {
        $0.ticket.parcel.sidecar != nil
          && ($0.ticket.spool == spool.options.name || stages.spools[$0.ticket.spool] == nil)
      } ?? false
    if let job, isOwn, job.disposedAt == nil, !sidecar.stands { return }
    if job != nil, isOwn, !sidecar.stands {
      try await stages.workers.run { try spool.held().removeSidecar(sidecar.pattern, sidecar.id, sidecar.document) }
    } else if let problem = try await stages.workers.run({ try spool.putBack(sidecar) }) {
      stages.trouble.report(problem)
    }
  }

  /// Finishes the releases that a crash interrupted, into the same directories.
  private func finishReleases(where isMeant: (String) -> Bool) async throws {
    for job in try await ledger.releasing() where isMeant(job.ticket.spool) {
      guard let release = job.release else { continue }
      do {
        try await stages.release(job, to: release.to)
        Failpoint.recoveryPlaced.pass()
        _ = try await ledger.released(job.number)
        Failpoint.recoveryReleased.pass()
      } catch {
        journal.error(
          "\(job.ticket.name.shown) of job \(job.number) was not released: \((error as? Failure)?.words ?? "\(error)")")
        _ = try await ledger.releaseFailed(job.number)
      }
    }
  }
}
