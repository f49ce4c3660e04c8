extension ConcurrencyLimit {
  /// The answers at one limit, until their pace is known well enough to be compared.
  struct Round: Sendable, Hashable {
    /// The time from which the limit has been in force.
    private let start: Timestamp
    /// The number of answers to attempts that began under the limit, before the count begins: as many as there are slots, so
    /// that the attempts that began under another one are gone.
    private var skipped = 0
    private var isCounting = false
    /// The times of the first and of the last look since then.
    private var countsFrom: Timestamp
    private var lookedAt: Timestamp
    private var count = 0
    private var total: Int64 = 0
    private var squares = 0.0
    private var failures = 0
    private var looks = 0
    private var looksWithWork = 0

    /// The shortest time of the round in microseconds: a commit more or less must not decide.
    private let shortest: Int64

    /// Creates a round whose limit is in force from a time on; one of the first ones is shorter, since a step too far then
    /// costs less than a step too late.
    init(from start: Timestamp, isFirst: Bool = false) {
      self.start = start
      shortest = isFirst ? 50_000 : 200_000
      countsFrom = start
      lookedAt = start
    }

    /// The mean duration of the answers in microseconds.
    var mean: Double { Double(total) / Double(max(1, count)) }

    /// The answers in a microsecond, from the first look to the last.
    var pace: Double { Double(count) / Double(max(1, lookedAt.microseconds - countsFrom.microseconds)) }

    /// True if more waited to begin nearly all the time.
    var wasInDemand: Bool { looks > 0 && looksWithWork * 10 >= looks * 9 }

    /// Looks after a commit; returns true if the round is whole.
    mutating func look(isWaiting: Bool, limit: Int, now: Timestamp) -> Bool {
      guard isCounting else {
        isCounting = skipped >= limit
        countsFrom = now
        return false
      }
      looks += 1
      if isWaiting { looksWithWork += 1 }
      lookedAt = now
      return looks >= Self.fewestLooks && count >= max(Self.fewest, 2 * limit)
        && now.microseconds - countsFrom.microseconds >= shortest && (isPrecise || count >= Self.most)
    }

    /// Counts an answer, by its duration in microseconds.
    mutating func add(_ duration: Int64, began: Timestamp) {
      guard isCounting else {
        if began >= start { skipped += 1 }
        return
      }
      count += 1
      total += duration
      squares += Double(duration) * Double(duration)
    }

    /// Counts a failure; returns true if so many fail that it counts as a refusal.
    mutating func fail() -> Bool {
      failures += 1
      return failures >= Gate.longestRun && failures * 4 >= failures + count
    }

    /// True if the standard error of the mean duration is at most one fourteenth of it. The ratio of two paces is then off by a
    /// tenth, so that steps are told from chance.
    private var isPrecise: Bool {
      let variance = max(0, squares / Double(count) / (mean * mean) - 1)
      return variance * 200 <= Double(count)
    }

    /// The fewest answers of a round.
    private static let fewest = 32
    /// The most answers of a round, however much their durations differ.
    private static let most = 1024
    /// The fewest commits of a round. Answers come together in commits, and a commit more or less must not decide.
    private static let fewestLooks = 20
  }
}
