import Jobs
import Linux

/// The names in the spool that could not be claimed, with the problem of each. Their number is limited: beyond it, some give way (``Crowd``).
struct Refusals: Sendable {
  typealias Instant = ContinuousClock.Instant

  static let most = 1024

  private(set) var byName: [FileName: (problem: SpoolProblem, owner: UInt32?, at: Instant)] = [:]

  subscript(name: FileName) -> SpoolProblem? { byName.isEmpty ? nil : byName[name]?.problem }

  mutating func add(_ name: FileName, _ problem: SpoolProblem, owner: UInt32?, now: Instant) {
    byName[name] = (problem, owner, now)
    guard byName.count > Self.most else { return }
    let members = byName.map { Crowd.Member(name: $0, owner: $1.owner, isStuck: true, since: $1.at) }
    for leaver in Crowd.leavers(members, Self.most / Crowd.part) { byName[leaver.name] = nil }
  }

  mutating func forget(_ name: FileName) {
    if !byName.isEmpty { byName[name] = nil }
  }

  /// Forgets the names that were last tried before `time`: they are gone, or not wanted any more.
  mutating func forget(before time: Instant) {
    if !byName.isEmpty { byName = byName.filter { $0.value.at >= time } }
  }
}
