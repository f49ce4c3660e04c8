/// The number of attempts in flight, in all and at each destination.
public struct SlotUse: Sendable, Hashable {
  /// The number at all destinations together.
  public private(set) var total = 0
  /// The numbers at the destinations with attempts in flight.
  private(set) var counts: [Destination: Int] = [:]

  package init() {}

  /// The number at one destination.
  public subscript(destination: Destination) -> Int { counts[destination, default: 0] }

  /// Adds a difference, which may be negative, to the number at a destination.
  public mutating func add(_ difference: Int, at destination: Destination) {
    total += difference
    let count = self[destination] + difference
    assert(count >= 0 && total >= count, "\(destination) gives back a slot that it does not have")
    counts[destination] = count == 0 ? nil : count
  }
}

/// The shares of the slots that destinations have, so that a slow one with a backlog leaves some to each of the others.
///
/// Each destination is guaranteed a few slots: no other one takes those that it does not use. If the guarantees exceed half of the slots,
/// that half is shared by the destinations that have less than their guarantee. All other slots go to any destination with something to
/// begin, the one with the fewest in flight first. ``SlotUse`` has the counts of attempts. The cost of a decision depends on the
/// destinations in use, not on all destinations.
public struct SlotShares: Sendable, Hashable {
  package let slots: Int
  /// The destinations, in the order that decides between those with equally many in flight.
  public let destinations: [Destination]
  private let indices: [Destination: Int]
  /// The number of slots kept for each destination: a quarter of all in sum, or one each; 0 if none are kept.
  private let guarantee: Int
  /// The most slots that each destination may hold, in their order; empty if none has a limit of its own.
  private let limits: [Int]

  /// Creates shares of a number of slots.
  /// - Parameters:
  ///   - limits: the most slots that each destination may hold, in the order of `destinations`; empty for no such limits.
  ///   - guarantees: true if slots are kept for a destination that has not used them.
  public init(slots: Int, destinations: [Destination], limits: [Int] = [], guarantees: Bool = true) {
    assert(slots >= 0 && (limits.isEmpty || limits.count == destinations.count && limits.allSatisfy { $0 > 0 }))
    self.slots = slots
    self.destinations = destinations
    indices = Dictionary(zip(destinations, 0...)) { first, _ in first }
    self.limits = limits
    guarantee = guarantees ? max(1, slots / (4 * max(1, destinations.count))) : 0
  }

  /// Returns the index of a destination; nil for one that is not among them.
  func index(of destination: Destination) -> Int? { indices[destination] }

  /// True if a slot is free for any destination.
  public func isFree(_ use: SlotUse) -> Bool { slots > use.total }

  /// True if an attempt may begin at a destination: a slot is free in addition to those that are kept for others.
  public func mayBegin(at destination: Destination, _ use: SlotUse) -> Bool {
    guard isFree(use) else { return false }
    let index = index(of: destination)
    if let index, isAtLimit(index, use[destination]) { return false }
    return fits(index == nil ? guarantee : use[destination], beside: reserve(use), use)
  }

  /// Returns the destination for the next attempt: of those that may begin one, the one with the fewest in flight.
  /// - Parameter candidates: the destinations with something to begin, in any order.
  public func next(
    _ use: SlotUse, among candidates: some Sequence<Destination>, where canBegin: (Destination) -> Bool = { _ in true }
  ) -> Destination? {
    guard isFree(use) else { return nil }
    let reserve = reserve(use)
    var next: (destination: Destination, count: Int, index: Int)?
    for destination in candidates {
      guard let index = index(of: destination) else { continue }
      let count = use[destination]
      if let next, (next.count, next.index) < (count, index) { continue }
      guard !isAtLimit(index, count), fits(count, beside: reserve, use), canBegin(destination) else { continue }
      next = (destination, count, index)
    }
    return next?.destination
  }

  /// True if this number in flight reaches the limit of the destination at an index.
  private func isAtLimit(_ index: Int, _ count: Int) -> Bool { !limits.isEmpty && count >= limits[index] }

  /// True if a destination that has that many in flight may have one more.
  private func fits(_ count: Int, beside reserve: (owed: Int, reserved: Int), _ use: SlotUse) -> Bool {
    let own = max(0, guarantee - count)
    // If the reserve is smaller than the unused guarantees, the first destinations with less than their guarantee get it.
    let free = slots - use.total
    return free > (reserve.reserved < reserve.owed ? (own > 0 ? 0 : reserve.reserved) : reserve.reserved - own)
  }

  /// Returns the number of guaranteed slots that the destinations have not used, and how many slots are kept for them.
  private func reserve(_ use: SlotUse) -> (owed: Int, reserved: Int) {
    guard guarantee > 0 else { return (0, 0) }
    var owed = guarantee * destinations.count
    for (destination, count) in use.counts where index(of: destination) != nil { owed -= min(guarantee, count) }
    assert(owed >= 0, "a destination uses more of its guarantee than it has")
    return (owed, min(owed, slots / 2))
  }
}

/// The slots for steps in flight, and the half of them that large uploads may hold. Large uploads take long; small ones overtake large ones
/// that wait.
public struct Lanes: Sendable, Hashable {
  package let all: SlotShares
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
  /// - Parameters:
  ///   - limits: the limits in the order of the destinations.
  ///   - most: the most slots of all destinations together. If the limits exceed it, the slots are shared as a fixed number is.
  public init(limits: [Int], most: Int, destinations: [Destination]) {
    let slots = min(most, limits.reduce(0, +))
    let isShared = destinations.count > 2 && slots == most
    all = SlotShares(slots: slots, destinations: destinations, limits: limits, guarantees: isShared)
    large = SlotShares(
      slots: max(1, slots / 2), destinations: destinations.filter { $0.kind == .storage },
      limits: zip(destinations, limits).compactMap { $0.kind == .storage ? max(1, $1 / 2) : nil }, guarantees: isShared)
  }

  /// True if an attempt may begin at a destination.
  public func mayBegin(at destination: Destination, _ use: SlotUse) -> Bool { all.mayBegin(at: destination, use) }

  /// Lanes without slots and destinations.
  public static let none = Lanes(concurrency: 0, destinations: [])

  package var destinations: [Destination] { all.destinations }

  /// True if work can go to a destination.
  public func contains(_ destination: Destination) -> Bool { all.index(of: destination) != nil }
}

extension Job {
  /// The size in bytes from which on a file is large: 8 MiB, some seconds on a slow line.
  ///
  /// It is not a storage's `StorageSettings.multipartThreshold`, which a reload may change: the ledger's index of queued jobs contains this
  /// limit.
  public static let leastLarge: Int64 = 8 << 20

  /// True if the job's next step is the upload of a large file, which takes long.
  public var isLargeUpload: Bool { step == .upload && identity.size >= Self.leastLarge }
}
