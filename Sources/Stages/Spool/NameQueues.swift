import Jobs

/// Names in the order of their next checks: a binary heap, so that no event goes through all names.
struct Deadlines<Name: Sendable>: Sendable {
  struct Entry {
    let moment: ContinuousClock.Instant
    let name: Name
  }

  private var heap: [Entry] = []

  var first: ContinuousClock.Instant? { heap.first?.moment }

  var count: Int { heap.count }

  mutating func add(_ name: Name, at moment: ContinuousClock.Instant) {
    heap.append(Entry(moment: moment, name: name))
    var index = heap.count - 1
    while index > 0, heap[index].moment < heap[(index - 1) / 2].moment {
      heap.swapAt(index, (index - 1) / 2)
      index = (index - 1) / 2
    }
  }

  mutating func popDue(at now: ContinuousClock.Instant) -> Entry? {
    guard let first = heap.first, first.moment <= now else { return nil }
    let last = heap.removeLast()
    if !heap.isEmpty {
      heap[0] = last
      sink()
    }
    return first
  }

  private mutating func sink() {
    var index = 0
    while true {
      var least = index
      for child in [2 * index + 1, 2 * index + 2] where child < heap.count && heap[child].moment < heap[least].moment {
        least = child
      }
      guard least != index else { return }
      heap.swapAt(index, least)
      index = least
    }
  }
}

/// The names that are ready for a claim, in order. A name may be in it twice, or be ready no longer: who takes one asks the table.
struct ReadyNames {
  private var names: [FileName] = []
  /// The index of the first name: those before it were taken.
  private var head = 0

  var count: Int { names.count - head }
  /// The number of names in memory, with those that were taken.
  var length: Int { names.count }

  mutating func add(_ name: FileName) { names.append(name) }

  mutating func popFirst() -> FileName? {
    guard head < names.count else { return nil }
    let first = names[head]
    head += 1
    if head == names.count {
      names.removeAll(keepingCapacity: names.count < 1024)
      head = 0
    }
    return first
  }

  mutating func keepOnce(where isReady: (FileName) -> Bool) {
    var seen: Set<FileName> = []
    names = names[head...].filter { isReady($0) && seen.insert($0).inserted }
    head = 0
  }
}

/// The owners of the names in a table, and the rule for when it is full: the owner with the most names gives way, first with the names that
/// have waited longest for something other than their turn. They stay in the directory, where a scan finds them again.
struct Crowd: Sendable {
  typealias Instant = ContinuousClock.Instant

  struct Member<Name> {
    let name: Name
    let owner: UInt32?
    /// True if it waits for something other than its turn.
    let isStuck: Bool
    let since: Instant
  }

  /// One name in so many gives way at a time, so that a full table is rarely gone through.
  static let part = 16

  private var all: [UInt32?: Int] = [:]
  private var stuck: [UInt32?: Int] = [:]

  /// Counts a name that has come (1) or gone (-1).
  mutating func count(_ owner: UInt32?, isStuck: Bool, _ number: Int) {
    Self.add(number, to: &all, of: owner)
    if isStuck { Self.add(number, to: &stuck, of: owner) }
  }

  private static func add(_ number: Int, to counts: inout [UInt32?: Int], of owner: UInt32?) {
    let count = counts[owner, default: 0] + number
    assert(count >= 0, "a name left that had not come")
    counts[owner] = count == 0 ? nil : count
  }

  /// Returns the names of a full table that give way to a newcomer of this owner. None do if the owner has the most names himself, and
  /// nearly all of them wait for nothing but their turn: then the newcomer waits for a scan.
  func leavers<Name>(for owner: UInt32?, among members: () -> [Member<Name>]) -> [Name] {
    guard let most = all.values.max() else { return [] }
    let count = max(1, all.values.reduce(0, +) / Self.part)
    if all[owner] == most, stuck[owner] ?? 0 < count { return [] }
    return Self.leavers(members(), count).map(\.name)
  }

  /// Returns so many members that give way: the last ones of the largest owners.
  static func leavers<Name>(_ members: [Member<Name>], _ count: Int) -> [Member<Name>] {
    var ranked: [(rank: Int, member: Member<Name>)] = []
    ranked.reserveCapacity(members.count)
    for owned in Dictionary(grouping: members, by: \.owner).values {
      let ordered = owned.sorted { one, other in
        if one.isStuck != other.isStuck { return other.isStuck }
        return one.isStuck ? one.since > other.since : one.since < other.since
      }
      for (rank, member) in ordered.enumerated() { ranked.append((rank, member)) }
    }
    ranked.sort { ($0.rank, $1.member.since) > ($1.rank, $0.member.since) }
    return ranked.prefix(count).map(\.member)
  }
}
