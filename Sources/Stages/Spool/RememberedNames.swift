import Jobs
import Linux

/// Names in the spool of which something is remembered, with their owners. Their number is limited: beyond it, some give way (``Crowd``).
struct RememberedNames<Value: Sendable>: Sendable {
  typealias Instant = ContinuousClock.Instant

  static var most: Int { 1024 }

  private(set) var byName: [FileName: (value: Value, owner: UInt32?, at: Instant)] = [:]

  subscript(name: FileName) -> Value? { byName.isEmpty ? nil : byName[name]?.value }

  mutating func add(_ name: FileName, _ value: Value, owner: UInt32?, now: Instant) {
    byName[name] = (value, owner, now)
  }

  var isOverfull: Bool { byName.count > Self.most }

  /// The names that are to be forgotten, because there are too many.
  var leavers: [FileName] {
    guard isOverfull else { return [] }
    let members = byName.map { Crowd.Member(name: $0, owner: $1.owner, isStuck: true, since: $1.at) }
    return Crowd.leavers(members, Self.most / Crowd.part).map(\.name)
  }

  mutating func forget(_ name: FileName) {
    if !byName.isEmpty { byName[name] = nil }
  }

  /// Forgets the names that were last tried before `time`: they are gone, or not wanted any more.
  mutating func forget(before time: Instant) {
    if !byName.isEmpty { byName = byName.filter { $0.value.at >= time } }
  }
}
