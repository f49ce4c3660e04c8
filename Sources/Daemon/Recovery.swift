import Jobs
import Ledger
import Spool

/// Puts ledger and spools in step at start: what a crash left is found here, before anything new is claimed.
struct Recovery: Sendable {
  let ledger: JobLedger
  let stages: Stages
  let admissions: Admissions
  let disposals: Disposals
  let journal: JournalReader

  private static let batch = 256

  /// - Throws: the ledger's error, or the file system's where `.waybill` cannot be read.
  func run() async throws {
    for (name, spool) in stages.spools.sorted(by: { $0.key < $1.key }) {
      try await adopt(try spool.claimed(), of: name)
    }
    try await finishReleases()
    for name in stages.spools.keys.sorted() { try await disposals.retry(spool: name) }
    try await ledger.question { stages.isConfigured($0) }
  }

  /// A file in `.waybill` without a row was claimed but not admitted: it is admitted under the id and name it carries.
  private func adopt(_ claims: [Claim], of spool: String) async throws {
    for start in stride(from: 0, to: claims.count, by: Self.batch) {
      let batch = claims[start..<min(start + Self.batch, claims.count)]
      _ = try await ledger.admit(admissions.make(Array(batch), spool: spool), begin: 0, from: [])
      for claim in batch { try await removeAgain(claim) }
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
        _ = try await ledger.released(job.number)
      } catch {
        journal.error("\(job.ticket.name.shown) of job \(job.number) was not released: \(error)")
        _ = try await ledger.releaseFailed(job.number)
      }
    }
  }
}
