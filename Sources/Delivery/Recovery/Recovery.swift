import Failpoints
import Jobs
package import Ledger
import LinuxFiles
package import Reports
package import Spool
import Threads

/// Puts ledger and spools in step at start: what a crash left is found here, before anything new is claimed.
package struct Recovery: Sendable {
  let ledger: JobLedger
  let current: CurrentConfiguration
  let disposals: Disposals
  let journal: EventLog

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

  /// - Parameter goesOn: called each time that a batch of claims is done with.
  /// - Throws: the ledger's error, or the file system's where `.waybill` cannot be read.
  package func run(goesOn: @Sendable () -> Void) async throws {
    standBy()
    let claims = try stages.spools.sorted { $0.key < $1.key }.filter { !$0.value.isShared }
      .map { ($0.value, try $0.value.claimBatches()) }
    Failpoint.recoveryBegun.pass()
    for (spool, claims) in claims {
      try await adopt(of: spool, goesOn: goesOn) { try claims.next(upTo: Self.batch) }
      try await returnSidecars(of: spool)
    }
    try await ledger.stopAgain(by: Self.own)
    for (name, spool) in stages.spools where !spool.isShared { try await finishReleases(of: name) }
    Failpoint.recoveryDisposing.pass()
    for (name, spool) in stages.spools.sorted(by: { $0.key < $1.key }) where !spool.isShared {
      try await disposals.retry(spool: name)
    }
    _ = try await ledger.askAboutUnconfigured { stages.isConfigured($0) }
    _ = try await ledger.finishRecovery(by: Self.own)
    Failpoint.recoveryDone.pass()
  }

  /// Holds the jobs of shared spools until it is known who holds the spools, and lets those of others go on.
  private func standBy() {
    let shared = stages.spools.filter(\.value.isShared).keys
    for pause in ledger.counts.pauses {
      guard case .standby(let name) = pause.target, !shared.contains(name) else { continue }
      ledger.endStandBy(name)
    }
    for name in shared { ledger.standBy(name, telling: nil, by: Self.own) }
  }

  /// The same with one spool that came while the daemon runs.
  ///
  /// - Throws: the ledger's error, or the file system's where `.waybill` cannot be read.
  package func run(_ spool: SpoolDirectory) async throws {
    if spool.isShared { return ledger.standBy(spool.options.name, telling: nil, by: Self.own) }
    let claims = try await stages.workers.run { try spool.claimBatches() }
    try await adopt(of: spool) { try await stages.workers.run { try claims.next(upTo: Self.batch) } }
    try await returnSidecars(of: spool)
    try await disposals.retry(spool: spool.options.name)
  }

  /// The same with what stands in a spool that was lost and is back.
  func adopt(_ claims: [Claim], of spool: String) async throws {
    guard let directory = stages.spools[spool] else { return }
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
    var random: any RandomNumberGenerator = SystemRandomNumberGenerator()
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
    if job.disposedAt != nil { return true }
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
    try spool.adopt(claims) { claim, error in
      journal.error("\(claim.name.shown) keeps the id \(claim.id): \(error.words)")
    }
  }

  /// A removal is not fsynced, so a power cut may bring back a file that was disposed of.
  func removeAgain(_ claim: Claim) async throws {
    guard let job = try await ledger.job(.id(claim.id)), job.disposedAt != nil else { return }
    try await disposals.dispose(of: job)
  }

  /// Puts back the sidecars whose documents a crash kept from being claimed. One whose document was disposed of is left to the
  /// disposal of its job; one that a power cut brought back is removed again.
  private func returnSidecars(of spool: SpoolDirectory) async throws {
    let stranded = try await stages.workers.run { try spool.strandedSidecars() }
    while true {
      let batch = try await stages.workers.run { try stranded.next(upTo: Self.batch) }
      guard !batch.isEmpty else { return }
      for sidecar in batch { try await settle(sidecar, of: spool) }
    }
  }

  private func settle(_ sidecar: SpoolDirectory.StrandedSidecar, of spool: SpoolDirectory) async throws {
    let job = try await ledger.job(.id(sidecar.id))
    if let job, job.ticket.spool == spool.options.name, !sidecar.stands {
      if job.disposedAt == nil { return }
      try await stages.workers.run { try spool.removeSidecar(sidecar.id, sidecar.document) }
    } else if let problem = try await stages.workers.run({ try spool.putBack(sidecar) }) {
      stages.trouble.report(problem)
    }
  }

  /// A release that a crash cut is finished the same way it was begun.
  func finishReleases(of spool: String) async throws {
    for job in try await ledger.releasing() where job.ticket.spool == spool {
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
