extension ConcurrencyLimit {
  /// The attempts that ended at one limit, until their pace is known well enough to be compared.
  struct Round: Sendable, Hashable {
    /// The time from which the limit has been in force.
    private let start: Timestamp
    /// The number of attempts that began under the limit and ended before the count begins: as many as there are slots, so
    /// that the attempts that began under another one are gone.
    private var skipped = 0
    /// The time of the first look after those; nil until then.
    private var countsFrom: Timestamp?
    /// The time between the first and the last look, in microseconds.
    private var time: Int64 = 0
    /// The attempts that were counted, and those among them that failed.
    private var count = 0
    private var failures = 0
    private var total: Int64 = 0
    private var squares = 0.0
    private var looks = 0
    private var looksWithWork = 0

    /// The shortest time of the round in microseconds: a commit more or less must not decide.
    private let shortest: Int64

    /// Creates a round whose limit is in force from a time on; one of the first ones is shorter, since a step too far then
    /// costs less than a step too late.
    init(from start: Timestamp, isFirst: Bool = false) {
      self.start = start
      shortest = isFirst ? 50_000 : 200_000
    }

    /// The mean duration of the attempts in microseconds.
    var mean: Double { Double(total) / Double(max(1, count)) }

    /// The answers in a microsecond, less as many again as the share of failures makes of them.
    ///
    /// A share of failures that is the same at all limits changes all paces by the same factor, so it decides nothing. One that
    /// rises with the limit makes a higher limit look worse than its answers do.
    var pace: Double { Double(count) * share * share / Double(max(1, time)) }

    /// The share of the attempts that were answered.
    private var share: Double { Double(count - failures) / Double(max(1, count)) }

    /// True if more waited to begin nearly all the time.
    var wasInDemand: Bool { looks > 0 && looksWithWork * 10 >= looks * 9 }

    /// Looks after a commit; returns true if the round is whole.
    mutating func look(isWaiting: Bool, limit: Int, now: Timestamp) -> Bool {
      guard let countsFrom else {
        if skipped >= limit { countsFrom = now }
        return false
      }
      looks += 1
      if isWaiting { looksWithWork += 1 }
      time = now.microseconds - countsFrom.microseconds
      return looks >= Self.fewestLooks && count >= max(Self.fewest, 2 * limit)
        && time >= shortest && (isPrecise || count >= Self.most)
    }

    /// Counts an attempt that ended, by its duration in microseconds.
    mutating func add(_ duration: Int64, began: Timestamp, failed: Bool) {
      guard countsFrom != nil else {
        if began >= start { skipped += 1 }
        return
      }
      count += 1
      if failed { failures += 1 }
      total += duration
      squares += Double(duration) * Double(duration)
    }

    /// True if the standard error of the pace is at most one fourteenth of it, given how much the attempts differ in their
    /// durations and ends. The ratio of two paces is then off by a tenth, so that steps are told from chance.
    private var isPrecise: Bool {
      let ofDurations = max(0, squares / Double(count) / (mean * mean) - 1)
      let ofFailures = 4 * Double(failures) / Double(max(1, count - failures))
      return (ofDurations + ofFailures) * 200 <= Double(count)
    }

    /// The fewest attempts of a round.
    private static let fewest = 32
    /// The most attempts of a round, however much they differ.
    private static let most = 1024
    /// The fewest commits of a round. Answers come together in commits, and a commit more or less must not decide.
    private static let fewestLooks = 20
  }
}
