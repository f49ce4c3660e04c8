import Jobs

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
