/// Jobs as they were shown: their number, and the snapshot of the database in which they were counted.
///
/// A job's row that was written since is not in that snapshot, so it was not shown. A command that was confirmed for these jobs
/// leaves such a job out. Jobs that have left are just fewer.
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

  /// The condition that a job's row is one that was shown. A row knows the lower half of the number of its transaction; the rest
  /// follows from the newest number there is.
  func add(to condition: inout FleetCondition) {
    let newest = "pg_snapshot_xmax(pg_current_snapshot())::text::bigint"
    let written = "(\(newest) - ((\(newest) - job.xmin::text::bigint) & 4294967295))::text::xid8"
    condition.add(snapshot) {
      "pg_visible_in_snapshot(\(written), \($0)::pg_snapshot)"
    } at: {
      $0.job.append($1)
    }
  }
}
