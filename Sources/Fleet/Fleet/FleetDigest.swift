import ControlAPI
import Jobs
import PostgreSQL

/// The record of a group of jobs of many hosts as it was shown. An answer carries it, and applies only to those jobs.
///
/// It has a hash of the group's properties, and the jobs as they were counted (``FleetShown``). So a host that takes another name
/// or rewrites its rows cannot direct an answer to other jobs, and a busy group can be answered. Programs must not interpret its
/// text.
public struct FleetDigest: Hashable, Sendable, LosslessStringConvertible {
  private let key: String
  let shown: FleetShown

  init(_ key: FleetGroup.Key, _ filter: FleetFilter, jobs: Int64, snapshot: String) {
    self.key = Self.hash(key, filter)
    shown = FleetShown(jobs: jobs, snapshot: snapshot)
  }

  /// The text of the digest.
  public var description: String { "\(key).\(shown.jobs).\(shown.snapshot)" }

  /// Reads the text of a digest; nil for any other text.
  public init?(_ description: String) {
    let parts = description.split(separator: ".", omittingEmptySubsequences: false).map(String.init)
    guard parts.count == 3, parts[0].utf8.count == 32, parts[0].allSatisfy(\.isHexDigit), let jobs = Int64(parts[1]),
      let shown = FleetShown(jobs: jobs, reading: parts[2])
    else { return nil }
    (key, self.shown) = (parts[0], shown)
  }

  /// True if it is of this group and of this filter, whatever the group's jobs are.
  func isOf(_ key: FleetGroup.Key, _ filter: FleetFilter) -> Bool { self.key == Self.hash(key, filter) }

  /// Returns a hash of the properties and the filter; state and step are among the properties.
  private static func hash(_ key: FleetGroup.Key, _ filter: FleetFilter) -> String {
    GroupDigest.hash(
      [key.state, key.destination, key.step, key.kind, key.status, key.reason, filter.host, filter.spool]
        + [filter.destination, filter.name, filter.error])
  }
}

/// An error: an answer was for something else than what was shown. Nothing was asked for.
public struct FleetGroupChanged: Error, Hashable, Sendable, CustomStringConvertible {
  /// The words.
  public var description: String {
    "this is not what was shown any more, and nothing was asked for: look at it again"
  }

  /// Creates the error.
  init() {}
}

/// An error: a name stands for several hosts, or for jobs of several hosts.
public struct FleetNameAmbiguous: Error, Hashable, Sendable, CustomStringConvertible {
  private let what: String

  init(name: String) { what = "have a job \(DisplayText.escape(name)): name it with the uuid of its ledger" }

  init(host: String) {
    what = "are named \(DisplayText.escape(host)): name the one that is meant by the uuid of its ledger"
  }

  /// The words.
  public var description: String { "several hosts \(what), as waybill-fleet status shows it" }
}
