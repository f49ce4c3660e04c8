import ControlAPI
import Jobs
import PostgreSQL

/// A group of jobs of many hosts as it was shown. An answer sends it back, and asks for nothing else.
///
/// It has the group's properties, and the snapshot of the database in which the jobs were counted. A job's row that was written
/// since is not in that snapshot, so it was not shown: a host that names itself first, or fills its rows anew, leads no answer
/// to other jobs. Jobs that have left are just fewer, so a busy group can be answered. For programs it is a word without
/// meaning.
public struct FleetDigest: Hashable, Sendable, Encodable, LosslessStringConvertible {
  private let key: String
  /// The number of jobs.
  let jobs: Int64
  /// The snapshot, as PostgreSQL writes it.
  let snapshot: String

  init(_ key: FleetGroup.Key, _ filter: FleetFilter, jobs: Int64, snapshot: String) {
    self.key = Self.hash(key, filter)
    (self.jobs, self.snapshot) = (jobs, snapshot)
  }

  /// The word that stands for it.
  public var description: String { "\(key).\(jobs).\(snapshot)" }

  /// Reads such a word; nil for any other.
  public init?(_ description: String) {
    let parts = description.split(separator: ".", omittingEmptySubsequences: false).map(String.init)
    guard parts.count == 3, parts[0].utf8.count == 32, parts[0].allSatisfy(\.isHexDigit), let jobs = Int64(parts[1]),
      Self.isSnapshot(parts[2])
    else { return nil }
    (key, self.jobs, snapshot) = (parts[0], jobs, parts[2])
  }

  /// Writes the word.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(description)
  }

  /// True if it is of this group and of this filter, whatever the group's jobs are.
  package func isOf(_ key: FleetGroup.Key, _ filter: FleetFilter) -> Bool { self.key == Self.hash(key, filter) }

  /// The properties and the filter; state and step are among the properties.
  private static func hash(_ key: FleetGroup.Key, _ filter: FleetFilter) -> String {
    GroupDigest.hash(
      [key.state, key.destination, key.step, key.kind, key.status, key.reason, filter.host, filter.spool]
        + [filter.destination, filter.name, filter.error, filter.since?.rfc3339Milliseconds]
        + [filter.until?.rfc3339Milliseconds])
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

/// An answer to a group that is another one than the one that was shown. Nothing was asked for.
public struct FleetGroupChanged: Error, Hashable, Sendable, CustomStringConvertible {
  /// The words.
  public var description: String {
    "this group is not the one that was shown, and nothing was asked for: look at it again"
  }

  /// Creates the error.
  public init() {}
}

/// A name that stands for jobs of several hosts.
public struct FleetNameAmbiguous: Error, Hashable, Sendable, CustomStringConvertible {
  let name: String

  /// The words.
  public var description: String {
    "several hosts have a job \(DisplayText.escape(name)): name it with the uuid of its ledger, as waybill fleet hosts shows it"
  }
}
