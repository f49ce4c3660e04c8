import Jobs
package import Ledger
import Linux
import Messages
package import Reports
package import Spool
import Synchronization

/// Puts ledger and spools in step at start: what a crash left is found here, before anything new is claimed.
package struct Recovery: Sendable {
  let ledger: JobLedger
  let current: CurrentConfiguration
  let disposals: Disposals
  let journal: EventLog
  private let late = LateSpools()

  package init(ledger: JobLedger, current: CurrentConfiguration, disposals: Disposals, journal: EventLog) {
    self.ledger = ledger
    self.current = current
    self.disposals = disposals
    self.journal = journal
  }

  private static let batch = 256

  /// The user that the history names for recovery's own actions.
  static let own = Caller(uid: ProcessRights.user, user: "waybilld")

  private var stages: Stages { current.now.stages }

  /// A spool that cannot be used now, or whose claims cannot be read, comes later: its run hands over what is claimed in it.
  ///
  /// - Parameter goesOn: called each time that a batch of claims is done with.
  /// - Throws: the ledger's error, or a `SpoolProblem` of cause `sync`.
  package func run(goesOn: @Sendable () -> Void) async throws {
    let own = stages.spools.sorted { $0.key < $1.key }.filter { !$0.value.isShared }
    for (name, spool) in own where !spool.status.isPresent { late.insert(name) }
    standBy()
    var readable: [(SpoolDirectory, ClaimBatches)] = []
    for (name, spool) in own where !late.contains(name) {
      try await unlessUnreadable(spool) { readable.append((spool, try spool.claimBatches())) }
    }
    Failpoint.recoveryBegun.pass()
    for (spool, claims) in readable {
      try await unlessUnreadable(spool) {
        try await adopt(of: spool, goesOn: goesOn) { try claims.next(upTo: Self.batch) }
        try await requireAll(but: claims.setAside)
        try await returnSidecars(of: spool)
      }
    }
    try await ledger.stopAgain(by: Self.own)
    try await finishReleases { name in
      // One whose spool is configured no more ends as refused: it would hold its job for good.
      stages.spools[name].map { !$0.isShared && !late.contains(name) } ?? true
    }
    Failpoint.recoveryDisposing.pass()
    for (name, _) in own where !late.contains(name) { try await disposals.retry(spool: name) }
    _ = try await ledger.askAboutUnconfigured { stages.isConfigured($0) }
    late.recoversFromLoss = !late.isEmpty
    _ = try await ledger.finishRecovery(by: Self.own, isWhole: late.isEmpty)
    Failpoint.recoveryDone.pass()
  }

  /// Holds the jobs of shared spools until it is known who holds the spools, and those of spools that come later. Lets those of
  /// others go on.
  private func standBy() {
    endStandBys()
    for (name, spool) in stages.spools where spool.isShared || late.contains(name) {
      ledger.standBy(name, telling: nil, by: Self.own)
    }
  }

  /// Lets the jobs of spools go on that are neither shared nor late. Those of a spool that is configured no more ask.
  private func endStandBys() {
    for pause in ledger.counts.pauses {
      guard case .standby(let name) = pause.target else { continue }
      if let spool = stages.spools[name], spool.isShared || late.contains(name) { continue }
      ledger.endStandBy(name)
    }
  }

  /// The same with the spools of another configuration that came while the daemon runs; some of the earlier ones may be gone.
  ///
  /// - Throws: the ledger's error, or a `SpoolProblem` of cause `sync`.
  package func run(_ new: [SpoolDirectory]) async throws {
    let gone = late.keep(only: Set(stages.spools.keys))
    endStandBys()
    // Nobody else would end a release that waits for one of them, and it would hold its job for good.
    for name in gone { try await finishReleases(of: name) }
    for spool in new { try await run(spool) }
  }

  private func run(_ spool: SpoolDirectory) async throws {
    let name = spool.options.name
    if spool.isShared { return ledger.standBy(name, telling: nil, by: Self.own) }
    guard spool.status.isPresent else { return putOff(name) }
    try await unlessUnreadable(spool) {
      let claims = try await stages.workers.run { try spool.claimBatches() }
      try await adopt(of: spool) { try await stages.workers.run { try claims.next(upTo: Self.batch) } }
      try await requireAll(but: claims.setAside)
      try await returnSidecars(of: spool)
      if late.remove(name) {
        try await finishReleases(of: name)
        ledger.endStandBy(name)
      }
      try await disposals.retry(spool: name)
    }
  }

  /// Holds the jobs of a spool until its run has handed over what is claimed in it.
  private func putOff(_ name: String) {
    late.insert(name)
    ledger.standBy(name, telling: nil, by: Self.own)
  }

  /// Files that could not be read get their jobs while the spool runs. But if nobody knows what was sent, the spool comes later, as
  /// a whole.
  private func requireAll(but setAside: [SetAside]) async throws {
    guard ledger.mayHaveForgotten, !setAside.isEmpty else { return }
    let ids = Set(try await ledger.withoutJob(setAside.map(\.id)))
    if let first = setAside.first(where: { ids.contains($0.id) }) { throw first.error }
  }

  /// Calls the body; a spool that cannot be read comes later.
  private func unlessUnreadable(_ spool: SpoolDirectory, _ body: () async throws -> Void) async throws {
    do {
      try await body()
    } catch let error as FileError {
      journal.notice("spool \(spool.options.name): \(error.words); what is claimed in it is taken up later")
      spool.handOverLater(whole: ledger.mayHaveForgotten)
      putOff(spool.options.name)
    }
  }

  /// All that is claimed in a spool that was lost, or that comes later than the others, is in the ledger: what is left of the
  /// time before is put in order, and its jobs go on.
  ///
  /// - Throws: the ledger's error, or `FileError` if the spool cannot be read.
  func complete(_ name: String) async throws {
    guard late.contains(name), let spool = stages.spools[name] else { return }
    try await returnSidecars(of: spool)
    if late.recoversFromLoss { try await ledger.stopAgain(by: Self.own) }
    try await finishReleases(of: name)
    try await disposals.retry(spool: name)
    let hadClaims = late.hadClaims(name)
    _ = late.remove(name)
    if late.recoversFromLoss {
      try await ledger.finishLateRecovery(by: Self.own, holds: hadClaims, isWhole: late.isEmpty)
      late.recoversFromLoss = !late.isEmpty
    }
    ledger.endStandBy(name)
  }

  /// The same with what stands in a spool that was lost and is back.
  func adopt(_ claims: [Claim], of spool: String) async throws {
    guard let directory = stages.spools[spool] else { return }
    if !claims.isEmpty { late.foundClaims(in: spool) }
    var rest = claims[...]
    try await adopt(of: directory) {
      defer { rest = rest.dropFirst(Self.batch) }
      return Array(rest.prefix(Self.batch))
    }
  }

  /// A file in `.waybill` without a row was claimed but not admitted: it is admitted under the name it carries, and under
  /// the id it carries or asks for.
  ///
  /// Files that ask for an id come last. By then every other file has its row, and the ledger alone knows which ids are
  /// taken. They are no more than a crash left between their claim and their admission.
  ///
  /// - Parameter next: gives the next claims; none at the end.
  private func adopt(
    of spool: SpoolDirectory, goesOn: @Sendable () -> Void = {}, next: () async throws -> [Claim]
  ) async throws {
    var asking: [Claim] = []
    while true {
      let claims = try await next()
      if claims.isEmpty { break }
      var others: [Claim] = []
      for claim in claims {
        if try await asksForId(claim) { asking.append(claim) } else { others.append(claim) }
      }
      try await admit(try await identified(others, in: spool), to: spool)
      goesOn()
    }
    var taken = Set(asking.map(\.id))
    for start in stride(from: 0, to: asking.count, by: Self.batch) {
      let claims = asking[start..<min(start + Self.batch, asking.count)]
      try await admit(try await renamed(claims, in: spool, &taken), to: spool)
      goesOn()
    }
  }

  private func admit(_ claims: [Claim], to spool: SpoolDirectory) async throws {
    Failpoint.recoveryIdentified.pass()
    _ = try await ledger.admit(current.now.admissions.make(claims, spool: spool.options.name))
    Failpoint.recoveryAdmitted.pass()
    for claim in claims { try await removeAgain(claim) }
  }

  /// Returns true if a file gets the id that it asks for. The id must be free. If the ledger may have forgotten that
  /// the file was sent under the id it carries, the file keeps that one.
  private func asksForId(_ claim: Claim) async throws -> Bool {
    guard !ledger.mayHaveForgotten, claim.wantedID != nil else { return false }
    return try await ledger.job(.id(claim.id)) == nil
  }

  /// The claims under the ids that they are to have: the ones that they carry, but a new one where a job of another file
  /// has it.
  func identified(_ claims: [Claim], in spool: SpoolDirectory) async throws -> [Claim] {
    var kept: [Claim] = []
    var moving: [(claim: Claim, id: JobID)] = []
    var random = stages.machine.random
    for claim in claims {
      guard let job = try await ledger.job(.id(claim.id)), await isCopy(claim, of: job, in: spool) else {
        kept.append(claim)
        continue
      }
      moving.append((claim, JobID.mint(at: stages.clock.now(), random: &random)))
    }
    return kept + (try move(moving, in: spool))
  }

  /// Returns true if a claim has the id of a job whose own file is another one, as when a spool's directory was copied.
  ///
  /// A spool that got another name, or another path, still has the files of its jobs. They keep their ids: under new ones they
  /// would be sent again, even those that a person has stopped.
  private func isCopy(_ claim: Claim, of job: Job, in spool: SpoolDirectory) async -> Bool {
    let ticket = job.ticket
    if ticket.dropped != claim.dropped { return true }
    if ticket.spool == spool.options.name { return false }
    // One that was given up as gone, because its spool's name had another directory, is the very file.
    if job.disposedAt != nil { return !claim.identity.isUnwritten(since: job.identity) }
    guard let own = stages.spools[ticket.spool] else { return false }
    // Ignored: a file that cannot be looked at there may be gone from there. Then this is the job's own.
    return (try? await stages.workers.run { try own.identity(ticket.id, ticket.dropped) }) != nil
  }

  /// The claims under the ids that they ask for, as the claim would have given them but for the crash, where they are free.
  ///
  /// - Parameter taken: the ids of files that have no row yet.
  private func renamed(
    _ claims: ArraySlice<Claim>, in spool: SpoolDirectory, _ taken: inout Set<JobID>
  ) async throws -> [Claim] {
    var kept: [Claim] = []
    var moving: [(claim: Claim, id: JobID)] = []
    for claim in claims {
      if let wanted = claim.wantedID, !taken.contains(wanted), try await ledger.job(.id(wanted)) == nil {
        taken.insert(wanted)
        moving.append((claim, wanted))
      } else {
        kept.append(claim)
      }
    }
    return kept + (try move(moving, in: spool))
  }

  private func move(_ claims: [(claim: Claim, id: JobID)], in spool: SpoolDirectory) throws -> [Claim] {
    do throws(FileError) {
      return try spool.adopt(claims) { claim, error in
        journal.error("\(claim.name.shown) keeps the id \(claim.id): \(error.words)")
      }
    } catch {
      // Trying a failed fsync again would not prove that the renames are on disk.
      throw SpoolProblem(
        spool.options, .sync, error.message, remedy: .lookAfterDisk,
        errno: error.errno)
    }
  }

  /// A removal is not fsynced, so a power cut may bring back a file that was disposed of.
  func removeAgain(_ claim: Claim) async throws {
    guard let job = try await ledger.job(.id(claim.id)), job.disposedAt != nil else { return }
    try await disposals.dispose(of: job)
  }

  /// Puts back the sidecars whose documents a crash kept from being claimed. One whose document was disposed of is left to the
  /// disposal of its job; one that a power cut brought back is removed again.
  ///
  /// - Parameter isAtWork: true if the spool's jobs go on meanwhile: a sidecar may be getting another id.
  func returnSidecars(of spool: SpoolDirectory, isAtWork: Bool = false) async throws {
    let stranded = try await stages.threads(of: spool.options.name).run { try spool.strandedSidecars() }
    while true {
      let batch = try await stages.threads(of: spool.options.name).run { try stranded.next(upTo: Self.batch) }
      guard !batch.isEmpty else { return }
      for sidecar in batch where !(isAtWork && sidecar.stands) { try await settle(sidecar, of: spool) }
    }
  }

  private func settle(_ sidecar: SpoolDirectory.StrandedSidecar, of spool: SpoolDirectory) async throws {
    // One that has moved is the other host's: this ledger does not know what became of it.
    let job = try await ledger.job(.id(sidecar.id)).flatMap { $0.state == .moved ? nil : $0 }
    let isOwn = job.map { $0.ticket.spool == spool.options.name || stages.spools[$0.ticket.spool] == nil } ?? false
    if let job, isOwn, job.disposedAt == nil, !sidecar.stands { return }
    if spool.isShared { return try await settleShared(sidecar, of: spool, isKnown: job != nil && isOwn) }
    if job != nil, isOwn, !sidecar.stands {
      try await stages.threads(of: spool.options.name).run { try spool.removeSidecar(sidecar.id, sidecar.document) }
    } else if let problem = try await stages.threads(of: spool.options.name).run({ try spool.putBack(sidecar) }) {
      stages.trouble.report(problem)
    }
  }

  /// The same in a shared spool, while it is held: what stands beside the sidecar tells what its host had begun. One that cannot be put
  /// in order now is looked at again at the next rescan, and holds up nothing else.
  ///
  /// - Parameter isKnown: true if this host has disposed of its document.
  private func settleShared(
    _ sidecar: SpoolDirectory.StrandedSidecar, of spool: SpoolDirectory, isKnown: Bool
  ) async throws {
    guard let part = stages.parts[spool.options.name] else { return }
    do {
      switch try await part.threads.run({
        sidecar.stands ? .unknown : try spool.endStranded(sidecar, archive: part.archive)
      }) {
      case .ended, .later: return
      case .unknown where isKnown && !sidecar.stands:
        try await part.threads.run { try spool.removeSidecar(sidecar.id, sidecar.document) }
      case .unknown:
        if let problem = try await part.threads.run({ try spool.putBack(sidecar) }) {
          stages.trouble.report(problem)
        }
      }
    } catch let error as FileError {
      let name = sidecar.pattern.sidecar(of: sidecar.document).shown
      stages.trouble.report(
        SpoolProblem(
          spool.options, .sidecar, .documentGone(name: name, why: error.message),
          remedy: .triedAgain(time: spool.options.rescan), errno: error.errno))
    }
  }

  /// A release that a crash cut is finished the same way it was begun.
  func finishReleases(of spool: String) async throws { try await finishReleases { $0 == spool } }

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

/// The spools whose claims are not in step with the ledger yet: they could not be used, or read, when the daemon began with them.
private final class LateSpools: Sendable {
  private struct Contents {
    /// True for a spool in which claimed files were found.
    var spools: [String: Bool] = [:]
    var recoversFromLoss = false
  }

  private let state = Mutex(Contents())

  var isEmpty: Bool { state.withLock(\.spools.isEmpty) }

  /// True if the recovery of the start waits for some of them. One that a reload adds is not among those.
  var recoversFromLoss: Bool {
    get { state.withLock(\.recoversFromLoss) }
    set { state.withLock { $0.recoversFromLoss = newValue } }
  }

  func contains(_ name: String) -> Bool { state.withLock { $0.spools[name] != nil } }

  func insert(_ name: String) { state.withLock { $0.spools[name] = $0.spools[name] ?? false } }

  /// Returns true if it was one of them.
  func remove(_ name: String) -> Bool { state.withLock { $0.spools.removeValue(forKey: name) != nil } }

  func foundClaims(in name: String) { state.withLock { if $0.spools[name] != nil { $0.spools[name] = true } } }

  func hadClaims(_ name: String) -> Bool { state.withLock { $0.spools[name] == true } }

  /// Forgets all but these, and returns the names of those that it forgets.
  func keep(only others: Set<String>) -> [String] {
    state.withLock { state in
      let gone = state.spools.keys.filter { !others.contains($0) }.sorted()
      for name in gone { state.spools[name] = nil }
      return gone
    }
  }
}
