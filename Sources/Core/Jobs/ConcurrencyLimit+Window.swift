extension ConcurrencyLimit {
  /// The attempts that ended at one limit, collected until there are enough of them to compare their durations.
  struct Window: Sendable, Hashable {
    /// The time from which the limit has been in force.
    private let start: Timestamp
    /// The mean duration of the answered attempts of the window before.
    private let usual: Double
    /// True if only uploads of large files were counted.
    private(set) var isOfLarge = false
    /// The slots of the attempts that began under this limit and ended. Counting begins when this number exceeds the limit: by then all
    /// attempts from before the limit have ended.
    private var ended = 0
    private var commits = 0
    private var commitsInDemand = 0
    private var count = 0
    private var answered = 0
    /// The sums of the durations of answered attempts, in seconds, and of their squares.
    private var total = 0.0
    private var squares = 0.0

    /// Creates a window whose limit is in force from a time on; the durations of the window before count until this window has an answer.
    init(from start: Timestamp, after before: Window? = nil) {
      self.start = start
      usual = before?.mean ?? 0
    }

    /// The mean duration of the answered attempts, in seconds; 0 if there was none yet.
    var mean: Double { answered > 0 ? total / Double(answered) : usual }

    /// The share of the attempts that were answered.
    var share: Double { Double(answered) / Double(max(1, count)) }

    /// True if attempts waited for a slot nearly all the time.
    var wasInDemand: Bool { commitsInDemand * 10 >= commits * 9 }

    /// Returns true if the higher limit, at which this window was collected, is worth its slots: the pace grows by a good part of the
    /// growth in slots. A share of failures that is the same at both limits decides nothing.
    func isWorth(_ limit: Int, over other: Window, _ lower: Int) -> Bool {
      let ratio = Double(limit) / Double(lower)
      return ratio * (share / mean) / (other.share / other.mean) >= 1 + Self.worth * (ratio - 1)
    }

    /// Counts a commit, and if attempts waited for a slot after it; returns true if the window is complete.
    mutating func committed(isWaiting: Bool, limit: Int) -> Bool {
      guard count > 0 else { return false }
      commits += 1
      if isWaiting { commitsInDemand += 1 }
      return count >= max(Self.fewest, isOfLarge ? limit : 2 * limit) && (isPrecise || count >= Self.most)
    }

    mutating func add(_ attempt: Ended, began: Timestamp, limit: Int) {
      guard began >= start else { return }
      if attempt.isLarge != isOfLarge {
        self = Window(from: start, after: self)
        isOfLarge = attempt.isLarge
      }
      ended += attempt.isLarge ? 2 : 1
      guard ended > limit else { return }
      count += 1
      guard attempt.end == .answered else { return }
      answered += 1
      total += attempt.seconds
      squares += attempt.seconds * attempt.seconds
    }

    /// True if the standard error of the pace is at most one fourteenth of it, given how much the attempts differ in their
    /// durations and ends. The ratio of two paces is then precise to a tenth, which tells a step from chance.
    private var isPrecise: Bool {
      guard answered > 0 else { return false }
      let ofDurations = max(0, squares * Double(answered) / (total * total) - 1)
      let ofFailures = 4 * Double(count - answered) / Double(answered)
      return (ofDurations + ofFailures) * 200 <= Double(count)
    }

    /// The part of the proportional gain in pace for which a higher limit is worth it.
    private static let worth = 0.15
    private static let fewest = 32
    /// The most attempts of a window, however much they differ.
    private static let most = 1024
  }
}
