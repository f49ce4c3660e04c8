extension ConcurrencyLimit {
  /// The answers at one limit, until their mean is known well enough to be compared.
  struct Round: Sendable, Hashable {
    /// The time from which the limit has been in force.
    private let start: Timestamp
    /// The number of answers to attempts that began under the limit, before the count begins: as many as there are slots, so
    /// that the attempts that began under another one are gone.
    private var skipped = 0
    /// The time from which answers count.
    private var countsFrom: Timestamp
    private var count = 0
    private var total: Int64 = 0
    private var squares = 0.0
    private var failures = 0
    private var looks = 0
    private var waiting = 0
    private var inFlight = 0

    /// Creates a round whose limit is in force from a time on.
    init(from start: Timestamp) {
      self.start = start
      countsFrom = start
    }

    /// The mean duration of the answers in microseconds.
    var mean: Double { Double(total) / Double(max(1, count)) }

    /// The answers in a microsecond: by Little's law, the mean number in flight divided by the mean duration. Fewer may be in
    /// flight than the limit allows, because a slot stays free for a moment after each end.
    var pace: Double { Double(inFlight) / Double(max(1, looks)) / mean }

    /// True if more waited to begin nearly all the time.
    var wasInDemand: Bool { looks > 0 && waiting * 10 >= looks * 9 }

    mutating func look(inFlight: Int, isWaiting: Bool) {
      looks += 1
      self.inFlight += inFlight
      if isWaiting { waiting += 1 }
    }

    /// Counts an answer, by its duration in microseconds; returns true if the round is whole.
    mutating func add(_ duration: Int64, began: Timestamp, now: Timestamp, limit: Int) -> Bool {
      guard skipped >= limit else {
        if began >= start {
          skipped += 1
          countsFrom = now
        }
        return false
      }
      count += 1
      total += duration
      squares += Double(duration) * Double(duration)
      return count >= max(Self.fewest, 2 * limit) && now.microseconds - countsFrom.microseconds >= Self.shortest
        && (isPrecise || count >= Self.most)
    }

    /// Counts a failure; returns true if so many fail that it counts as a refusal.
    mutating func fail() -> Bool {
      failures += 1
      return failures >= Gate.longestRun && failures * 4 >= failures + count
    }

    /// True if the standard error of the mean is at most one fourteenth of it: with a ratio of two means then being off by a
    /// tenth, steps in pace are told from chance.
    private var isPrecise: Bool {
      let variance = max(0, squares / Double(count) / (mean * mean) - 1)
      return variance * 200 <= Double(count)
    }

    /// The fewest answers of a round.
    private static let fewest = 32
    /// The most answers of a round, however much their durations differ.
    private static let most = 1024
    /// The shortest time of a round in microseconds: below it, the ledger's commits decide which answers come together.
    private static let shortest: Int64 = 100_000
  }
}
