/// The number of attempts that one destination may have in flight at once, as `concurrency = "auto"` finds it.
///
/// A pure value: it is told of answers, refusals and slots in use, with the time as a parameter, and it has no clock and no
/// timer of its own. More slots are worth it only if they bring more answers a second. So the limit compares two rounds of
/// answers, one at the present limit and one at a limit that is a step higher or lower, and keeps the higher one if it
/// brings a good part of what its slots would bring in proportion. A refusal (503, 429) leads back to what went
/// well, and makes the next trial wait for longer than it can cost.
///
/// The ideas are those of TCP Vegas (Brakmo and Peterson, 1995), of BBR (Cardwell et al., 2016) and of Netflix's library
/// concurrency-limits: measure how the pace follows the number in flight instead of waiting for a loss.
public struct ConcurrencyLimit: Sendable, Hashable {
  /// The limit at the beginning.
  public static let start = 16
  /// The highest limit.
  public static let highest = 256
  /// The limit below which only refusals lower it: a few slots cost nothing, and a slow answer then never holds up all.
  public static let leastByPace = 4

  enum Phase: Hashable, Sendable {
    /// The limit is ``settled``.
    case settled
    /// The limit is another one for a round, to be compared with the pace of the settled one.
    case trying(against: Double)
  }

  /// The number of attempts that may be in flight now.
  public internal(set) var limit: Int
  /// The highest number for this destination.
  let most: Int
  /// The limit that a trial is compared with, and returns to.
  var settled: Int
  var phase = Phase.settled
  var round: Round
  /// True until a trial or a refusal says that the limit is found. Until then rounds are short, and the limit doubles at first, as
  /// TCP's window does (slow start, RFC 5681).
  var isStarting = true
  /// True if the next trial is of a higher limit.
  private var growsNext = true
  /// The next trial begins no sooner, except for one that the wait after a refusal has held up.
  private var restsUntil: Timestamp
  /// The factor of the next rest: it doubles with each trial that changes nothing.
  var restFactor = 1

  /// The time from which the settled limit has been in force.
  var settledAt: Timestamp
  /// The limit to fall back to at a refusal: the settled one itself once it has lasted, until then the one before it.
  var good: Int?
  /// True if a round went well since the last refusal.
  var hasPassed = false
  /// The last refusal that counted; nil once the refused limit went well.
  var refusal: Refusal?
  /// The cut that the last refusal made, as long as no answer came to an attempt that began after it.
  var cut: Cut?
  /// The failures since the last answer.
  private var failuresInARow = 0
  /// Attempts that began before this time say nothing: a refusal has been heeded.
  var heedsFrom: Timestamp?

  /// Creates the limit of a destination of which nothing is known.
  ///
  /// - Parameters:
  ///   - most: the highest limit, e.g. what memory allows.
  ///   - now: the time on the clock that does not jump, as in all functions.
  public init(most: Int = highest, now: Timestamp) {
    self.most = max(1, min(most, Self.highest))
    limit = min(Self.start, self.most)
    settled = limit
    round = Round(from: now, isFirst: true)
    restsUntil = now
    settledAt = now
  }

  /// Takes note, after each commit, whether more attempts wait to begin. Rounds without any that wait say nothing about the
  /// limit.
  public mutating func look(isWaiting: Bool, now: Timestamp) {
    guard round.look(isWaiting: isWaiting, limit: limit, now: now) else { return }
    finishRound(now)
    round = Round(from: now, isFirst: isStarting)
  }

  /// Takes note of an answer that is no refusal.
  ///
  /// - Parameter duration: the time that it took.
  public mutating func answered(after duration: Duration, now: Timestamp) {
    failuresInARow = 0
    let taken = duration.microseconds
    let began = Timestamp(microseconds: now.microseconds - taken)
    if cut != nil, !heard(from: began, now) { return }
    round.add(taken, began: began, failed: false)
  }

  /// Takes note of a time-out, or of an answer such as 500 or 502. It counts against the pace.
  ///
  /// So many in a row that the gate closes are a refusal. So is the failure of the probe that follows.
  public mutating func failed(after duration: Duration, now: Timestamp) {
    failuresInARow += 1
    if cut != nil || failuresInARow >= Gate.longestRun { return refused(after: duration, now: now) }
    let taken = duration.microseconds
    round.add(taken, began: Timestamp(microseconds: now.microseconds - taken), failed: true)
  }

  /// Draws the conclusion of a whole round.
  private mutating func finishRound(_ now: Timestamp) {
    confirm(now)
    if limit == settled, refusal == nil || good == settled { hasPassed = true }
    guard round.wasInDemand else { return settle(at: settled) }
    let pace = round.pace
    switch phase {
    case .settled:
      if refusal != nil, let target = higher(now) {
        begin(target, against: pace)
      } else if now >= restsUntil {
        tryNext(pace, now)
      }
    case .trying(let other):
      let isHigher = limit > settled
      let (low, high) = isHigher ? (settled, limit) : (limit, settled)
      let gain = isHigher ? pace / other : other / pace
      let worth = doubles ? Self.firstWorth : Self.worth
      let isWorthIt = gain >= 1 + worth * (Double(high) / Double(low) - 1)
      if isWorthIt == isHigher {
        change(to: limit, now)
        if tryNext(pace, now) { return }
      } else if isHigher, doubles {
        // Twice as many were too many; a few more may not be.
        isStarting = false
        settle(at: settled)
        if let target = higher(now) { return begin(target, against: other) }
      } else {
        growsNext = !isHigher
        isStarting = false
        if isHigher { refusal?.waitsFrom = now }
      }
      settle(at: settled)
      let rest = max(Self.shortestRest, .microseconds(Int64(round.mean) * Self.restCycles)) * restFactor
      restsUntil = now + min(rest, Self.longestRest)
      restFactor = min(restFactor * 2, Self.longestRestFactor)
    }
  }

  /// Makes the limit of a trial the settled one.
  private mutating func change(to limit: Int, _ now: Timestamp) {
    good = limit > settled ? settled : good.map { min($0, limit) }
    settled = limit
    settledAt = now
    refusal?.waitsFrom = now
    restFactor = 1
  }

  mutating func settle(at limit: Int) {
    (self.limit, settled, phase) = (limit, limit, .settled)
  }

  private mutating func begin(_ target: Int, against pace: Double) {
    limit = target
    phase = .trying(against: pace)
  }

  /// Begins a trial in the direction whose turn it is; false if there is nothing to try there.
  @discardableResult
  private mutating func tryNext(_ pace: Double, _ now: Timestamp) -> Bool {
    guard let target = growsNext ? higher(now) : lower else {
      growsNext.toggle()
      return false
    }
    begin(target, against: pace)
    return true
  }

  private var lower: Int? {
    let target = max(Self.leastByPace, min(settled - 1, Int(Double(settled) / Self.step)))
    return target < settled ? target : nil
  }

  private var doubles: Bool { isStarting && settled < Self.firstStepsEnd }

  /// The next higher limit to try; nil if there is none, or if a refusal says to wait.
  private func higher(_ now: Timestamp) -> Int? {
    let next = max(settled + 1, Int(Double(settled) * (doubles ? Self.firstStep : Self.step)))
    let target = min(most, refusal?.between(settled, or: next) ?? next)
    guard target > settled else { return nil }
    if let refusal, now - refusal.waitsFrom < refusal.wait(from: settled, to: target) { return nil }
    return target
  }

  /// The part of the proportional gain in pace for which a higher limit is worth it.
  private static let worth = 0.15
  /// The ratio of neighbouring limits.
  private static let step = 1.4
  /// The part of the proportional gain in pace that a doubling at the start must bring.
  private static let firstWorth = 0.5
  /// The ratio of neighbouring limits at the start.
  private static let firstStep = 2.0
  /// The limit from which on steps are small at the start too: what is too much is refused, or lost in an outage.
  private static let firstStepsEnd = 64
  /// The shortest rest between two trials.
  private static let shortestRest: Duration = .seconds(1)
  /// The longest rest between two trials.
  private static let longestRest: Duration = .seconds(80)
  /// The shortest rest in answers' times, for far sides that take long.
  private static let restCycles: Int64 = 20
  /// The greatest factor of a rest.
  private static let longestRestFactor = 128
}
