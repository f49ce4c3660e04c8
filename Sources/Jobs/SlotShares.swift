/// How many attempts are in flight, in all and at each destination.
public struct SlotUse: Sendable, Hashable {
  /// At all destinations together.
  public private(set) var total = 0
  private var counts: [String: Int] = [:]

  /// None.
  public init() {}

  /// At one destination, by its name in the configuration.
  public subscript(destination: String) -> Int { counts[destination, default: 0] }

  /// Takes note of so many more, or less, at a destination.
  public mutating func add(_ difference: Int, at destination: String) {
    total += difference
    counts[destination, default: 0] += difference
  }
}

/// How slots are shared among destinations, so that a slow one with a backlog leaves some to each of the others.
///
/// Each destination is guaranteed a few slots: what it has not used of them, no other one takes. All else goes to whoever has
/// something to begin, the one with the fewest in flight first. A value without a count of its own: ``SlotUse`` says where
/// the attempts are.
public struct SlotShares: Sendable, Hashable {
  /// How many slots there are.
  public let slots: Int
  /// The destinations, in the order in which they are asked where they have equally many in flight.
  public let destinations: [String]
  /// How many slots are kept for each destination that has a guarantee. A quarter of all in sum, or one each.
  private let guarantee: Int
  /// How many destinations have one, the first ones: no more than half of the slots are ever kept.
  private let guaranteed: Int

  /// Shares of so many slots.
  ///
  /// - Parameter guarantees: whether any are kept for a destination that has not used them.
  public init(slots: Int, destinations: [String], guarantees: Bool = true) {
    self.slots = slots
    self.destinations = destinations
    guarantee = max(1, slots / (4 * max(1, destinations.count)))
    guaranteed = guarantees ? min(destinations.count, slots / 2 / guarantee) : 0
  }

  /// Whether a slot is free, whoever may have it.
  public func isFree(_ use: SlotUse) -> Bool { slots > use.total }

  /// Whether an attempt may begin at a destination: then a slot is free beside those that the others are still owed.
  public func mayBegin(at destination: String, _ use: SlotUse) -> Bool {
    guard isFree(use) else { return false }
    let own = destinations.prefix(guaranteed).contains(destination) ? owed(use[destination]) : 0
    return slots - use.total > reserve(use) - own
  }

  /// The destination at which the next attempt begins: of those that may and can, the one with the fewest in flight.
  public func next(_ use: SlotUse, where canBegin: (String) -> Bool) -> String? {
    let free = slots - use.total
    guard free > 0 else { return nil }
    let reserve = reserve(use)
    var next: String?
    var fewest = Int.max
    for (index, destination) in destinations.enumerated() {
      let count = use[destination]
      let own = index < guaranteed ? owed(count) : 0
      guard count < fewest, free > reserve - own, canBegin(destination) else { continue }
      (next, fewest) = (destination, count)
    }
    return next
  }

  /// What all destinations have not used of their guarantees.
  private func reserve(_ use: SlotUse) -> Int {
    destinations.prefix(guaranteed).reduce(0) { $0 + owed(use[$1]) }
  }

  private func owed(_ count: Int) -> Int { max(0, guarantee - count) }
}

/// The slots for steps in flight, and the half of them that large uploads may hold: they take long, and whoever is small
/// goes past those that wait.
public struct Lanes: Sendable, Hashable {
  /// All slots.
  public let all: SlotShares
  /// Those that uploads of large files may hold, shared among the storages.
  public let large: SlotShares

  /// Lanes of so many slots; destinations by their names in the configuration, e.g. `storage.main`.
  ///
  /// A storage and its backend alone keep none from each other: what one has done is the other's work, and all slots go to
  /// whoever has some.
  public init(concurrency: Int, destinations: [String]) {
    let isShared = destinations.count > 2
    all = SlotShares(slots: concurrency, destinations: destinations, guarantees: isShared)
    large = SlotShares(
      slots: max(1, concurrency / 2), destinations: destinations.filter { $0.hasPrefix("storage.") },
      guarantees: isShared)
  }

  /// Whether an attempt may begin at a destination.
  public func mayBegin(at destination: String, _ use: SlotUse) -> Bool { all.mayBegin(at: destination, use) }

  /// The destination at which the next attempt begins, if it can begin anywhere.
  public func next(_ use: SlotUse, where canBegin: (String) -> Bool) -> String? {
    all.next(use, where: canBegin)
  }

  /// No slots, and nowhere to go.
  public static let none = Lanes(concurrency: 0, destinations: [])

  /// Where work can go.
  public var destinations: [String] { all.destinations }
}

extension Job {
  /// From so many bytes on a file is large: 8 MiB, some seconds on a slow line.
  ///
  /// Not a storage's `multipart_threshold`, which a reload may change: the ledger's index of queued jobs has the limit in it.
  public static let leastLarge: Int64 = 8 << 20

  /// Whether the job is at the upload of a large file, which takes long.
  public var isLargeUpload: Bool { step == .upload && identity.size >= Self.leastLarge }
}
