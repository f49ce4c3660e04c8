import Jobs
import Ledger
import Linux
import Settings
import Spool

#if canImport(Glibc)
  import Glibc
#endif

/// Checks if the jobs of a ledger and the files in the spools match. A daemon may be at work at the same time, so a mismatch is
/// checked again before it counts.
struct FileCheck {
  /// The result of the check.
  struct Result {
    /// Lines for people; a fault begins with `!`, advice with `?`.
    var lines: [String] = []
    var faults = 0
    /// The number of claimed files.
    var claimed = 0
  }

  let check: LedgerCheck
  let spools: [SpoolOptions]
  /// True if a daemon has the ledger open.
  let isInUse: Bool

  /// The number of checks of a mismatch; `pause` is the time between them, in seconds.
  private static let looks = 3
  private static let pause: UInt32 = 1
  private static let mostListed = 100

  private struct Misfit {
    /// Jobs without their file.
    var jobs: [LedgerCheck.Expected] = []
    /// Files without a job, by spool.
    var files: [JobID: String] = [:]
    var isEmpty: Bool { jobs.isEmpty && files.isEmpty }
  }

  func run() throws -> Result {
    var result = Result()
    var claims = try list()
    result.claimed = claims.values.reduce(0) { $0 + $1.count }
    var misfit = Misfit()
    var elsewhere = 0
    try check.forEachExpected { job in
      guard let ids = claims[job.spool] else { return elsewhere += 1 }
      if !ids.contains(job.id) { misfit.jobs.append(job) }
    }
    for (spool, ids) in claims { for id in try check.unknown(ids) { misfit.files[id] = spool } }
    var looks = 1
    while isInUse, !misfit.isEmpty, looks < Self.looks {
      sleep(Self.pause)
      looks += 1
      claims = try list()
      misfit.jobs = try misfit.jobs.filter {
        try check.isExpected($0.number) && claims[$0.spool]?.contains($0.id) == false
      }
      misfit.files = misfit.files.filter { claims[$0.value]?.contains($0.key) == true }
      let unknown = Set(try check.unknown(misfit.files.keys))
      misfit.files = misfit.files.filter { unknown.contains($0.key) }
    }
    record(misfit, elsewhere, &result)
    return result
  }

  private func list() throws -> [String: Set<JobID>] {
    var claims: [String: Set<JobID>] = [:]
    for spool in spools { claims[spool.name] = try LockedSpool.claimedIDs(in: spool.path) }
    return claims
  }

  private func record(_ misfit: Misfit, _ elsewhere: Int, _ result: inout Result) {
    for job in misfit.jobs.prefix(Self.mostListed) {
      result.lines.append("! job \(job.number): \(job.name.shown) is not in .waybill of spool \(job.spool)")
    }
    result.faults = misfit.jobs.count
    for (id, spool) in misfit.files.sorted(by: { "\($0.key)" < "\($1.key)" }).prefix(Self.mostListed) {
      result.lines.append(
        isInUse
          ? "! spool \(spool): the file \(id) in .waybill has no job"
          : "? spool \(spool): the file \(id) in .waybill has no job yet: it is admitted at the next start")
    }
    if isInUse { result.faults += misfit.files.count }
    for (count, what) in [(misfit.jobs.count, "jobs without their file"), (misfit.files.count, "files without a job")]
    where count > Self.mostListed {
      result.lines.append("\(isInUse ? "!" : "?") \(count) \(what) in all")
    }
    if elsewhere > 0 { result.lines.append("? jobs of spools that are not configured: \(elsewhere)") }
  }
}
