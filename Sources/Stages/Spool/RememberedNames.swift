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

extension SizeLimits {
  /// Returns the reason why a file of this size is not claimed; nil if it is.
  func refusal(of size: Int64) -> FileStatus.Reason? {
    if size == 0, least > 0 { return .empty }
    if size < least { return .tooSmall }
    if let greatest, size > greatest { return .tooLarge }
    return nil
  }

  /// True if every size is allowed, so that no size needs to be read.
  var isUnlimited: Bool { self == SizeLimits() }
}

/// The owners of the names in a table that droppers fill, and the one rule for when it is full: the owner with the most names gives way,
/// so that nobody's names keep out anybody else's. Of his names, those give way first that have waited longest for something other than
/// their turn. They stay in the directory, where a scan finds them again.
struct Crowd: Sendable {
  typealias Instant = ContinuousClock.Instant

  struct Member<Name> {
    let name: Name
    /// The owner; nil if it is not known yet.
    let owner: UInt32?
    /// True if it waits for something other than its turn.
    let isStuck: Bool
    /// The time since which it has been in the table.
    let since: Instant
  }

  /// The part of a table that gives way at a time, so that a full one is rarely gone through.
  static let part = 16

  private var all: [UInt32?: Int] = [:]
  private var stuck: [UInt32?: Int] = [:]
  /// The owner of most of the names that gave way since this was last taken, if one was stuck.
  private var largest: UInt32??

  /// Counts a name that has come (1) or gone (-1).
  mutating func count(_ owner: UInt32?, isStuck: Bool, _ number: Int) {
    Self.add(number, to: &all, of: owner)
    if isStuck { Self.add(number, to: &stuck, of: owner) }
  }

  private static func add(_ number: Int, to counts: inout [UInt32?: Int], of owner: UInt32?) {
    let count = counts[owner, default: 0] + number
    counts[owner] = count == 0 ? nil : count
  }

  /// Returns the names of a full table that give way to a newcomer of this owner; none if the newcomer has to wait, because nearly all of
  /// the largest owner's names, and that is his own, are about to go anyway.
  mutating func leavers<Name>(for owner: UInt32?, among members: () -> [Member<Name>]) -> [Name] {
    guard let most = all.values.max() else { return [] }
    let count = max(1, all.values.reduce(0, +) / Self.part)
    if all[owner] == most, stuck[owner] ?? 0 < count { return [] }
    let leavers = Self.leavers(members(), count)
    if leavers.contains(where: \.isStuck) { largest = leavers[0].owner }
    return leavers.map(\.name)
  }

  /// Returns so many members that give way: the last ones of the largest owners.
  static func leavers<Name>(_ members: [Member<Name>], _ count: Int) -> [Member<Name>] {
    var places: [(place: Int, member: Member<Name>)] = []
    places.reserveCapacity(members.count)
    for owned in Dictionary(grouping: members, by: \.owner).values {
      let ordered = owned.sorted { one, other in
        if one.isStuck != other.isStuck { return other.isStuck }
        return one.isStuck ? one.since > other.since : one.since < other.since
      }
      for (place, member) in ordered.enumerated() { places.append((place, member)) }
    }
    places.sort { ($0.place, $1.member.since) > ($1.place, $0.member.since) }
    return places.prefix(count).map(\.member)
  }

  /// Returns the owner whose names gave way since the last call, nil within if he is not known; nil if none did that had to.
  mutating func takeLargest() -> UInt32?? {
    defer { largest = nil }
    return largest
  }
}
