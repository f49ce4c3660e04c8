extension ConcurrencyLimit {
  /// The attempts that ended at one limit, collected until there are enough of them to compare their pace.
  struct Window: Sendable, Hashable {
    /// The time from which the limit has been in force.
    private let start: Timestamp
    /// The shortest duration of the window, so that one commit more or less does not decide.
    private let shortest: Duration
    /// The mean duration of the answered attempts of the window before.
    private let usual: Double
    /// The slots of the attempts that began under this limit and are not counted. Counting begins when this number reaches the limit:
    /// by then all attempts from before the limit have ended.
    private var skipped = 0
    /// The time at which the count began; nil until then.
    private var countsFrom: Timestamp?
    /// The time between the first and the last look.
    private var time = Duration.zero
    private var looks = 0
    private var looksWithWork = 0
    private var small = Tally()
    private var large = Tally()

    /// Creates a window whose limit is in force from a time on.
    ///
    /// - Parameters:
    ///   - before: the window before it; its durations count until this window has an answer.
    ///   - isFirst: true for the first windows, which are shorter: at the start, a step too far costs less than a step too late.
    init(from start: Timestamp, after before: Window? = nil, isFirst: Bool = false) {
      self.start = start
      usual = before?.mean ?? 0
      shortest = isFirst ? .milliseconds(50) : .milliseconds(200)
    }

    /// True if only uploads of large files were counted.
    var isOfLarge: Bool { small.count == 0 }

    /// The mean duration of the answered attempts, in seconds; 0 if there was none yet.
    var mean: Double { tally.mean ?? usual }

    /// The work answered in a second, times the share of the attempts that were answered.
    ///
    /// A share of failures that is the same at all limits changes all paces by the same factor, so it decides nothing. A share that
    /// rises with the limit counts against higher limits.
    var pace: Double { tally.work * tally.share / max(time.inSeconds, 1e-6) }

    /// The share of the attempts that were answered.
    var share: Double { tally.share }

    /// True if attempts waited for a slot nearly all the time.
    var wasInDemand: Bool { looks > 0 && looksWithWork * 10 >= looks * 9 }

    /// The attempts that are compared: large files only if there are no others, because their size decides how long they take.
    private var tally: Tally { isOfLarge ? large : small }

    /// Counts a commit, and if attempts waited for a slot after it; returns true if the window is complete.
    mutating func look(isWaiting: Bool, limit: Int, now: Timestamp) -> Bool {
      guard let countsFrom else {
        if skipped >= limit { self.countsFrom = now }
        return false
      }
      looks += 1
      if isWaiting { looksWithWork += 1 }
      time = now - countsFrom
      // Large files hold half of the slots at most.
      let slots = isOfLarge ? limit / 2 : limit
      return looks >= Self.fewestLooks && tally.count >= max(Self.fewest, 2 * slots) && time >= shortest
        && (tally.isPrecise || tally.count >= Self.most)
    }

    /// Counts an attempt that ended.
    mutating func add(_ attempt: Ended, began: Timestamp) {
      guard countsFrom != nil else {
        if began >= start { skipped += attempt.isLarge ? 2 : 1 }
        return
      }
      if attempt.isLarge { large.add(attempt) } else { small.add(attempt) }
    }

    /// The fewest attempts of a window.
    private static let fewest = 32
    /// The most attempts of a window, however much they differ.
    private static let most = 1024
    /// The fewest commits of a window. Answers come together in commits, and a commit more or less must not decide.
    private static let fewestLooks = 20
  }

  /// Attempts of one kind, and their durations.
  private struct Tally: Sendable, Hashable {
    private(set) var count = 0
    private var failures = 0
    /// The work of the answered ones, in files as large as the smallest large one.
    private(set) var work = 0.0
    /// Their durations, in seconds.
    private var total = 0.0
    /// The sums of the durations for one unit of work, and of their squares.
    private var each = 0.0
    private var squares = 0.0

    private var answered: Int { count - failures }

    /// The mean duration of the answered ones; nil if there is none.
    var mean: Double? { answered > 0 ? total / Double(answered) : nil }

    /// The share of the attempts that were answered.
    var share: Double { Double(answered) / Double(max(1, count)) }

    mutating func add(_ attempt: Ended) {
      count += 1
      guard attempt.end == .answered else {
        failures += 1
        return
      }
      let duration = attempt.duration.inSeconds
      work += attempt.work
      total += duration
      each += duration / attempt.work
      squares += (duration / attempt.work) * (duration / attempt.work)
    }

    /// True if the standard error of the pace is at most one fourteenth of it, given how much the attempts differ in their
    /// durations and ends. The ratio of two paces is then precise to a tenth, which tells a step from chance.
    var isPrecise: Bool {
      let ofDurations = each > 0 ? max(0, squares * Double(answered) / (each * each) - 1) : 0
      let ofFailures = 4 * Double(failures) / Double(max(1, answered))
      return (ofDurations + ofFailures) * 200 <= Double(count)
    }
  }
}
