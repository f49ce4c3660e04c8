/// The number of attempts in flight, in all and at each destination.
public struct SlotUse: Sendable, Hashable {
  /// The number at all destinations together.
  public private(set) var total = 0
  private var counts: [Destination: Int] = [:]

  /// Creates a use of no slots.
  public init() {}

  /// The number at one destination.
  public subscript(destination: Destination) -> Int { counts[destination, default: 0] }

  /// Adds a difference, which may be negative, to the number at a destination.
  public mutating func add(_ difference: Int, at destination: Destination) {
    total += difference
    counts[destination, default: 0] += difference
  }
}

/// The shares of the slots that destinations have, so that a slow one with a backlog leaves some to each of the others.
///
/// Each destination is guaranteed a few slots: no other one takes those that it does not use. All other slots go to any
/// destination with something to begin, the one with the fewest in flight first. The value has no counts of its own:
/// ``SlotUse`` has the counts of the attempts.
public struct SlotShares: Sendable, Hashable {
  /// The number of slots.
  public let slots: Int
  /// The destinations, in the order that decides between those with equally many in flight.
  public let destinations: [Destination]
  /// The number of slots kept for each destination that has a guarantee: a quarter of all in sum, or one each.
  private let guarantee: Int
  /// The number of destinations with a guarantee, the first ones: no more than half of the slots are ever kept.
  private let guaranteed: Int
  /// The most slots that each destination may hold, in the same order; empty if none has a limit of its own.
  private let limits: [Int]

  /// Creates shares of a number of slots.
  ///
  /// - Parameters:
  ///   - limits: the most slots that each destination may hold, in the order of `destinations`; empty for no such limits.
  ///   - guarantees: true if slots are kept for a destination that has not used them.
  public init(slots: Int, destinations: [Destination], limits: [Int] = [], guarantees: Bool = true) {
    self.slots = slots
    self.destinations = destinations
    self.limits = limits
    guarantee = max(1, slots / (4 * max(1, destinations.count)))
    guaranteed = guarantees ? min(destinations.count, slots / 2 / guarantee) : 0
  }

  /// True if a slot is free for any destination.
  public func isFree(_ use: SlotUse) -> Bool { slots > use.total }

  /// True if an attempt may begin at a destination: a slot is free beside those that are still owed to the others.
  public func mayBegin(at destination: Destination, _ use: SlotUse) -> Bool { shortage(at: destination, use) == nil }

  /// Returns the reason why no attempt may begin at a destination; nil if one may.
  public func shortage(at destination: Destination, _ use: SlotUse) -> SlotShortage? {
    guard isFree(use) else { return .all }
    if isAtLimit(destination, use) { return .limit }
    let own = destinations.prefix(guaranteed).contains(destination) ? owed(use[destination]) : 0
    return slots - use.total > reserve(use) - own ? nil : .share
  }

  /// Returns the destination for the next attempt: of those that may and can begin one, the one with the fewest in flight.
  public func next(_ use: SlotUse, where canBegin: (Destination) -> Bool) -> Destination? {
    let free = slots - use.total
    guard free > 0 else { return nil }
    let reserve = reserve(use)
    var next: Destination?
    var fewest = Int.max
    for (index, destination) in destinations.enumerated() {
      let count = use[destination]
      let own = index < guaranteed ? owed(count) : 0
      guard count < fewest, limits.isEmpty || count < limits[index], free > reserve - own, canBegin(destination) else {
        continue
      }
      (next, fewest) = (destination, count)
    }
    return next
  }

  /// True if a destination holds as many slots as its own limit allows.
  private func isAtLimit(_ destination: Destination, _ use: SlotUse) -> Bool {
    guard !limits.isEmpty, let index = destinations.firstIndex(of: destination) else { return false }
    return use[destination] >= limits[index]
  }

  /// Returns the number of guaranteed slots that all destinations have not used.
  private func reserve(_ use: SlotUse) -> Int {
    destinations.prefix(guaranteed).reduce(0) { $0 + owed(use[$1]) }
  }

  private func owed(_ count: Int) -> Int { max(0, guarantee - count) }
}

/// The slots for steps in flight, and the half of them that large uploads may hold. Large uploads take long; small ones overtake
/// those that wait.
public struct Lanes: Sendable, Hashable {
  /// All slots.
  public let all: SlotShares
  /// The slots that uploads of large files may hold, shared among the storages.
  public let large: SlotShares

  /// Creates lanes for a number of slots.
  ///
  /// A single storage and its backend keep no slots from each other: the result of one is the work of the other, and all slots
  /// go to whichever has work.
  public init(concurrency: Int, destinations: [Destination]) {
    let isShared = destinations.count > 2
    all = SlotShares(slots: concurrency, destinations: destinations, guarantees: isShared)
    large = SlotShares(
      slots: max(1, concurrency / 2), destinations: destinations.filter { $0.kind == .storage },
      guarantees: isShared)
  }

  /// Creates lanes in which each destination has a limit of its own.
  ///
  /// - Parameters:
  ///   - limits: the limits in the order of the destinations.
  ///   - most: the most slots of all destinations together. If the limits exceed it, they are shared as a fixed number is.
  public init(limits: [Int], most: Int, destinations: [Destination]) {
    let slots = min(most, limits.reduce(0, +))
    let isShared = destinations.count > 2 && slots == most
    all = SlotShares(slots: slots, destinations: destinations, limits: limits, guarantees: isShared)
    let storages = zip(destinations, limits).filter { $0.0.kind == .storage }
    large = SlotShares(
      slots: max(1, slots / 2), destinations: storages.map(\.0), limits: storages.map { max(1, $0.1 / 2) },
      guarantees: isShared)
  }

  /// True if an attempt may begin at a destination.
  public func mayBegin(at destination: Destination, _ use: SlotUse) -> Bool { all.mayBegin(at: destination, use) }

  /// Returns the destination for the next attempt, if one can begin anywhere.
  public func next(_ use: SlotUse, where canBegin: (Destination) -> Bool) -> Destination? {
    all.next(use, where: canBegin)
  }

  /// Lanes without slots and destinations.
  public static let none = Lanes(concurrency: 0, destinations: [])

  /// The destinations that work can go to.
  public var destinations: [Destination] { all.destinations }
}

extension Job {
  /// The size in bytes from which on a file is large: 8 MiB, some seconds on a slow line.
  ///
  /// It is not a storage's `multipart_threshold`, which a reload may change: the ledger's index of queued jobs contains this
  /// limit.
  public static let leastLarge: Int64 = 8 << 20

  /// True if the job's next step is the upload of a large file, which takes long.
  public var isLargeUpload: Bool { step == .upload && identity.size >= Self.leastLarge }
}
