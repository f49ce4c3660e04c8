import Failpoints
import Jobs
import Ledger
import LinuxFiles
import Spool

/// Puts ledger and spools in step at start: what a crash left is found here, before anything new is claimed.
struct Recovery: Sendable {
  let ledger: JobLedger
  let arrangement: CurrentArrangement
  let disposals: Disposals
  let journal: JournalReader

  private static let batch = 256

  private var stages: Stages { arrangement.now.stages }

  /// - Parameter goesOn: called each time that a batch of claims is done with.
  /// - Throws: the ledger's error, or the file system's where `.waybill` cannot be read.
  func run(goesOn: @Sendable () -> Void) async throws {
    let claims = try stages.spools.sorted { $0.key < $1.key }.map { ($0.value, try $0.value.claimed()) }
    var taken = Set(claims.lazy.flatMap(\.1).map(\.id))
    Failpoint.recoveryBegun.pass()
    for (spool, claims) in claims { try await adopt(claims, of: spool, &taken, goesOn: goesOn) }
    try await stopAgain()
    try await finishReleases()
    Failpoint.recoveryDisposing.pass()
    for name in stages.spools.keys.sorted() { try await disposals.retry(spool: name) }
    _ = try await ledger.question { stages.isConfigured($0) }
    try await ledger.remembersAll()
    Failpoint.recoveryDone.pass()
  }

  /// The same with one spool that came while the daemon runs.
  ///
  /// - Throws: the ledger's error, or the file system's where `.waybill` cannot be read.
  func run(_ spool: SpoolDirectory) async throws {
    try await adopt(try await stages.workers.run { try spool.claimed() }, of: spool.options.name)
    try await disposals.retry(spool: spool.options.name)
  }

  /// The same with what stands in a spool that was lost and is back.
  func adopt(_ claims: [Claim], of spool: String) async throws {
    guard let directory = stages.spools[spool] else { return }
    var taken = Set(claims.map(\.id))
    try await adopt(claims, of: directory, &taken)
  }

  /// A file in `.waybill` without a row was claimed but not admitted: it is admitted under the name it carries, and under
  /// the id it carries or asks for.
  private func adopt(
    _ claims: [Claim], of spool: SpoolDirectory, _ taken: inout Set<JobID>, goesOn: @Sendable () -> Void = {}
  ) async throws {
    for start in stride(from: 0, to: claims.count, by: Self.batch) {
      let batch = try await identified(claims[start..<min(start + Self.batch, claims.count)], in: spool, &taken)
      Failpoint.recoveryIdentified.pass()
      _ = try await ledger.admit(arrangement.now.admissions.make(batch, spool: spool.options.name))
      Failpoint.recoveryAdmitted.pass()
      for claim in batch { try await removeAgain(claim) }
      goesOn()
    }
  }

  /// The claims under the ids that they are to have: the one that a file asks for, as the claim would have given it but
  /// for the crash, and a new one where a job of another file has it. `taken` has the ids of all files in `.waybill`.
  ///
  /// Under the id that a file carries it may have been sent, where the ledger has forgotten that: it keeps that one.
  private func identified(
    _ claims: ArraySlice<Claim>, in spool: SpoolDirectory, _ taken: inout Set<JobID>
  ) async throws -> [Claim] {
    var kept: [Claim] = []
    var moving: [(claim: Claim, id: JobID)] = []
    var random: any RandomNumberGenerator = SystemRandomNumberGenerator()
    for claim in claims {
      if let job = try await ledger.job(.id(claim.id)) {
        let isItsOwn = job.ticket.spool == spool.options.name && job.ticket.dropped == claim.dropped
        if isItsOwn {
          kept.append(claim)
        } else {
          moving.append((claim, JobID.mint(at: stages.clock.now(), random: &random)))
        }
      } else if !ledger.mayHaveForgotten, let wanted = claim.wantedID, !taken.contains(wanted),
        try await ledger.job(.id(wanted)) == nil
      {
        taken.insert(wanted)
        moving.append((claim, wanted))
      } else {
        kept.append(claim)
      }
    }
    return kept
      + (try spool.adopt(moving) { claim, error in
        journal.error("\(claim.name.shown) keeps the id \(claim.id): \(error.words)")
      })
  }

  /// What had been aborted or cancelled in a ledger that was damaged waits for a person in the new one too.
  private func stopAgain() async throws {
    let words = "it had been aborted or cancelled in the ledger that was damaged"
    let cancellation = Cancellation(
      by: Caller(uid: ProcessRights.user, user: "waybilld"), reason: words, remove: false)
    for id in ledger.setAside?.stopped ?? [] where try await ledger.job(.id(id))?.state == .queued {
      _ = try await ledger.answer(.id(id), .cancel(cancellation), revision: nil)
    }
  }

  /// A removal is not fsynced, so a power cut may bring back a file that was disposed of.
  private func removeAgain(_ claim: Claim) async throws {
    guard let job = try await ledger.job(.id(claim.id)), job.disposedAt != nil else { return }
    try await disposals.dispose(of: job)
  }

  /// A release that a crash cut is finished the same way it was begun.
  private func finishReleases() async throws {
    for job in try await ledger.releasing() {
      guard let release = job.release else { continue }
      do {
        try await stages.release(job, to: release.to)
        Failpoint.recoveryPlaced.pass()
        _ = try await ledger.released(job.number)
        Failpoint.recoveryReleased.pass()
      } catch {
        journal.error("\(job.ticket.name.shown) of job \(job.number) was not released: \(error)")
        _ = try await ledger.releaseFailed(job.number)
      }
    }
  }
}
