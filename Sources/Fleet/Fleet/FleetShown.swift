/// The jobs that were shown: their number, and the snapshot of the database in which they were counted.
///
/// A job's row that was written later is not in that snapshot, so it was not shown. A command that was confirmed for these jobs
/// leaves out such a job. If jobs have left, there are only fewer.
public struct FleetShown: Hashable, Sendable {
  /// The number of jobs.
  public let jobs: Int64
  /// The snapshot, as PostgreSQL writes it.
  let snapshot: String

  init(jobs: Int64, snapshot: String) { (self.jobs, self.snapshot) = (jobs, snapshot) }

  /// Reads a snapshot; nil for any other text.
  init?(jobs: Int64, reading snapshot: String) {
    guard Self.isSnapshot(snapshot) else { return nil }
    self.init(jobs: jobs, snapshot: snapshot)
  }

  /// `XMIN:XMAX:XIP,…` (PostgreSQL manual, section 9.27.7).
  private static func isSnapshot(_ text: String) -> Bool {
    let parts = text.split(separator: ":", omittingEmptySubsequences: false)
    guard text.utf8.count <= 20_000, parts.count == 3, let first = UInt64(parts[0]), let next = UInt64(parts[1]),
      0 < first, first <= next
    else { return false }
    return parts[2].isEmpty
      || parts[2].split(separator: ",", omittingEmptySubsequences: false).allSatisfy { UInt64($0) != nil }
  }

  /// Adds the condition that a job's row was shown. A row has only the lower half of its transaction's number; the upper half
  /// follows from the newest number.
  func add(to condition: inout FleetCondition) {
    let newest = "pg_snapshot_xmax(pg_current_snapshot())::text::bigint"
    let written = "(\(newest) - ((\(newest) - job.xmin::text::bigint) & 4294967295))::text::xid8"
    condition.addJob(snapshot) { "pg_visible_in_snapshot(\(written), \($0)::pg_snapshot)" }
  }
}
