import Jobs

/// The numbers of names that a scan of the whole spool skipped. None of them will be claimed.
public struct LeftAlone: Sendable, Equatable {
  /// The names that a pattern of `ignore` matches.
  var ignored = 0
  /// The directories, in a spool that is not recursive.
  var folders = 0
  /// The symbolic links, FIFOs, sockets and devices.
  var others = 0
  /// The files whose names no pattern of `only` matches.
  var unlisted = 0
  /// The files in a spool of groups.
  var looseFiles = 0
  /// The files and groups whose names the expression of `match` does not match.
  var unmatched = 0
  /// The files that were sent and stay where they are, and those of jobs that are not over.
  var kept = 0

  /// No names.
  init() {}
}

/// The files that could not be claimed, each with the problem of the last attempt.
struct Refusals {
  typealias Instant = ContinuousClock.Instant

  /// The maximum number of names that are kept; beyond it, some give way (``Crowd``).
  static let most = 1024

  private(set) var byName: [FileName: (problem: SpoolProblem, owner: UInt32?, at: Instant)] = [:]

  var count: Int { byName.count }

  mutating func add(_ name: FileName, _ problem: SpoolProblem, owner: UInt32?, now: Instant) {
    if byName.count >= Self.most, byName[name] == nil {
      let members = byName.map { Crowd.Member(name: $0, owner: $1.owner, isStuck: true, since: $1.at) }
      for leaver in Crowd.leavers(members, Self.most / Crowd.part) { byName[leaver.name] = nil }
    }
    byName[name] = (problem, owner, now)
  }

  mutating func forget(_ name: FileName) {
    if !byName.isEmpty { byName[name] = nil }
  }

  /// Forgets the names that were last tried before `time`: they are gone, or not wanted any more.
  mutating func forget(before time: Instant) {
    if !byName.isEmpty { byName = byName.filter { $0.value.at >= time } }
  }
}
