/// The number of attempts that one destination may have in flight at once, as `concurrency = "auto"` finds it.
///
/// A pure value: it has no clock and no timer; its functions record how attempts ended, with the time as a parameter. More slots
/// are worth it only if they bring more answers a second. So the limit compares two windows of attempts, one at the present limit
/// and one at a limit that is a step higher or lower, and keeps the higher one if it brings a good part of what its slots would
/// bring in proportion. A refusal (503, 429) leads back to the last limit that went well. The more the refusal cost, the longer
/// the wait before the next trial. Before all that, the limit rises as fast as answers come (``Rise``).
///
/// The ideas are those of TCP Vegas (Brakmo and Peterson, 1995), of BBR (Cardwell et al., 2016) and of Netflix's library
/// concurrency-limits: measure how the pace follows the number in flight instead of waiting for a loss.
public struct ConcurrencyLimit: Sendable, Hashable {
  /// The limit at the beginning.
  public static let start = 16
  /// The highest limit.
  public static let highest = 256
  /// The failures in a row that count as a refusal.
  public static let mostFailures = 8
  /// The lowest limit that the pace leads to; only refusals go lower. So few slots cost little, and one slow answer does not block all
  /// others.
  public static let leastByPace = 4

  /// The end of an attempt, for the limit.
  public enum End: Sendable {
    /// The server answered, and did not refuse.
    case answered
    /// A time-out, or an answer such as 500 or 502. Several in a row count as a refusal.
    case failed
    /// The server is overloaded (503, 429): its gate closes.
    case refused
  }

  /// An attempt that ended.
  public struct Ended: Sendable {
    let end: End
    let duration: Duration
    let isLarge: Bool
    /// The work, in files as large as the smallest large one.
    let work: Double

    /// Creates the end of an attempt.
    ///
    /// - Parameters:
    ///   - duration: the time for which its slot was held.
    ///   - size: the bytes of a large file that it uploaded; nil for all other attempts.
    public init(_ end: End, after duration: Duration, size: Int64? = nil) {
      self.end = end
      self.duration = duration
      isLarge = size != nil
      work = size.map { Double(max($0, Job.leastLarge)) / Double(Job.leastLarge) } ?? 1
    }
  }

  /// The limit that a trial is compared with, and returns to.
  struct Settled: Sendable, Hashable {
    var limit: Int
    /// The time from which it has been in force.
    var since: Timestamp
    /// True if a window went well since the last refusal.
    var hasPassed = false
    /// The limit before it was raised to this one, to fall back to at a refusal; nil if there is none.
    var good: Int?
  }

  /// The number of attempts that may be in flight now.
  public private(set) var limit: Int
  /// The highest number for this destination.
  let most: Int
  var settled: Settled
  /// The window of the settled limit, while another one is on trial.
  private var compared: Window?
  var window: Window
  /// The share of the attempts that were answered in the last whole window.
  private(set) var share = 1.0
  /// The failures since the last answer that took at least half of the usual time. The gate counts quicker failures, which overtake the
  /// answers that are due.
  private var failuresInARow = 0
  /// The attempts in flight at a refusal, until a probe is answered.
  var flight: Flight?
  /// True if the gate was closed by failures at the last look.
  private var wasHeld = false
  var ceiling: Ceiling?
  /// The earliest time of the next trial. A trial that waited because of a refusal does not wait for this too.
  var restsUntil: Timestamp
  /// The factor of the next rest: it doubles with each trial that changes nothing.
  var restFactor = 1
  /// The earliest time at which a lower limit is tried. Each time-out moves it (see ``stalled(_:_:)``).
  private(set) var lowersFrom: Timestamp
  /// True if the next trial is of a higher limit.
  private var growsNext = true
  /// The first phase, in which the limit rises by each answer; nil after it.
  var rise: Rise? = Rise()
  /// True if the first phase ended because answers took too long: the limit is near the right one.
  var hasBraked = false
  /// True until a trial or a refusal says that the limit is found. Until then windows are short, and the limit doubles unless the
  /// durations ended the first phase.
  var isStarting = true

  /// Creates the limit of a destination of which nothing is known.
  ///
  /// - Parameters:
  ///   - most: the highest limit, e.g. what memory allows.
  ///   - now: the time on the steady clock, as in all functions.
  public init(most: Int = highest, now: Timestamp) {
    self.most = max(1, min(most, Self.highest))
    limit = min(Self.start, self.most)
    settled = Settled(limit: limit, since: now)
    window = Window(from: now, isFirst: true)
    restsUntil = now
    lowersFrom = now
  }

  /// Records, after each commit, if attempts wait for a slot, how many are in flight, and if failures have closed the gate, which
  /// counts as a refusal. A window without waiting attempts says nothing about the limit.
  public mutating func look(isWaiting: Bool, inFlight: Int, isHeld: Bool = false, now: Timestamp) {
    if isHeld, !wasHeld, flight == nil { refused(now, isByOthers: lowersFrom > now) }
    wasHeld = isHeld
    guard flight == nil else { return }
    rise?.look(isWaiting: isWaiting, inFlight: inFlight, limit: limit)
    guard rise == nil, window.look(isWaiting: isWaiting, limit: limit, now: now) else { return }
    finishWindow(now)
    window = Window(from: now, after: window, isFirst: isStarting)
  }

  /// Records the end of an attempt.
  public mutating func ended(_ attempt: Ended, now: Timestamp) {
    if attempt.end != .failed {
      failuresInARow = 0
    } else if attempt.duration.inSeconds * 2 >= window.mean {
      failuresInARow += 1
    }
    if attempt.end == .failed { stalled(attempt.duration, now) }
    let began = now + (.zero - attempt.duration)
    if let flight {
      heard(attempt.end, flight, from: began, now)
    } else if attempt.end == .refused || failuresInARow >= Self.mostFailures {
      refused(now, isByOthers: attempt.end == .failed && lowersFrom > now)
    } else if rise != nil {
      rise(by: attempt, now)
    } else {
      window.add(attempt, began: began)
    }
  }

  /// Begins to count how the attempts in flight end, because the server refused one.
  private mutating func refused(_ now: Timestamp, isByOthers: Bool) {
    rise = nil
    flight = Flight(at: now, isByOthers: isByOthers)
  }

  /// Decides at the end of a window if the limit changes.
  private mutating func finishWindow(_ now: Timestamp) {
    share = window.share
    if limit == settled.limit { passed(now) }
    guard window.wasInDemand else { return settle(at: settled.limit) }
    guard let compared else {
      if ceiling != nil, let target = higher(now) { return begin(target, against: window) }
      if now >= restsUntil { tryNext(now) }
      return
    }
    let isHigher = limit > settled.limit
    let isWorthIt = isHigher ? isWorth(window, over: compared, now) : isWorth(compared, over: window, now)
    if isWorthIt == isHigher {
      change(to: limit, now)
      if tryNext(now) { return }
    } else if isHigher, doubles {
      // Twice as many were too many; a few more may not be.
      isStarting = false
      settle(at: settled.limit)
      if let target = higher(now) { return begin(target, against: compared) }
    } else {
      growsNext = !isHigher
      isStarting = false
      if isHigher { ceiling?.waitsFrom = now }
    }
    settle(at: settled.limit)
    let rest = max(Self.shortestRest, .seconds(window.mean * Self.restCycles)) * restFactor
    restsUntil = now + min(rest, Self.longestRest)
    restFactor = min(restFactor * 2, Self.longestRestFactor)
  }

  /// Records a failure that took much longer than answers do.
  ///
  /// A slot that waits for a time-out does no work. After a change of the limit, the number of such slots changes only when a time-out
  /// has passed. Within a shorter window a lower limit would always look as good. So no lower limit is tried while a fifth of the slots
  /// wait for time-outs.
  private mutating func stalled(_ duration: Duration, _ now: Timestamp) {
    guard window.mean > 0, duration.inSeconds > window.mean * 8 else { return }
    lowersFrom = min(max(lowersFrom, now) + duration * 5 / limit, now + duration * 4)
  }

  /// Returns true if the higher of two limits brings a good part of what its slots would bring in proportion. Windows of
  /// different kinds cannot be compared, and leave the limit as it is.
  private func isWorth(_ high: Window, over low: Window, _ now: Timestamp) -> Bool {
    guard high.isOfLarge == low.isOfLarge, limit > settled.limit || lowersFrom <= now else {
      return limit < settled.limit
    }
    let ratio = Double(max(limit, settled.limit)) / Double(min(limit, settled.limit))
    let gain = lowersFrom <= now ? high.pace / low.pace : max(high.pace / low.pace, ratio * low.mean / high.mean)
    return gain >= (1 + (doubles ? Self.firstWorth : Self.worth) * (ratio - 1))
  }

  /// Records that nothing was refused in a whole window at the settled limit.
  private mutating func passed(_ now: Timestamp) {
    settled.hasPassed = true
    if let ceiling, settled.limit >= ceiling.limit, settled.hasLasted(until: now, ceiling) { self.ceiling = nil }
  }

  /// Makes the limit of a trial the settled one.
  private mutating func change(to limit: Int, _ now: Timestamp) {
    let good = limit > settled.limit ? settled.limit : nil
    settled = Settled(limit: limit, since: now, hasPassed: settled.hasPassed, good: good)
    ceiling?.waitsFrom = now
    restFactor = 1
  }

  mutating func settle(at limit: Int) {
    self.limit = limit
    compared = nil
  }

  private mutating func begin(_ target: Int, against window: Window) {
    limit = target
    compared = window
  }

  /// Begins a trial in the next direction, up or down; false if there is nothing to try there.
  @discardableResult
  private mutating func tryNext(_ now: Timestamp) -> Bool {
    guard let target = growsNext ? higher(now) : lower(now) else {
      growsNext.toggle()
      return false
    }
    begin(target, against: window)
    return true
  }

  /// The next lower limit to try; nil if there is none. Large files alone do not bring it below the limit at the beginning,
  /// because it is the limit of small files too.
  private func lower(_ now: Timestamp) -> Int? {
    guard lowersFrom <= now else { return nil }
    let least = window.isOfLarge ? Self.start : Self.leastByPace
    let target = max(least, min(settled.limit - 1, Int(Double(settled.limit) / Self.step)))
    return target < settled.limit ? target : nil
  }

  private var doubles: Bool { isStarting && !hasBraked && settled.limit < Self.firstStepsEnd }

  /// The next higher limit to try; nil if there is none, or if a refusal says to wait.
  private func higher(_ now: Timestamp) -> Int? {
    let next = max(settled.limit + 1, Int(Double(settled.limit) * (doubles ? Self.firstStep : Self.step)))
    let target = min(most, ceiling?.between(settled.limit, or: next) ?? next)
    guard target > settled.limit else { return nil }
    if let ceiling, now - ceiling.waitsFrom < ceiling.wait(from: settled.limit, to: target) { return nil }
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
  /// The limit from which steps are small at the start too: attempts beyond what the server can bear are refused, or lost in an
  /// outage.
  private static let firstStepsEnd = 64
  /// The shortest rest between two trials.
  private static let shortestRest: Duration = .seconds(1)
  /// The longest rest between two trials.
  private static let longestRest: Duration = .seconds(80)
  /// The shortest rest, as a multiple of the mean duration of an answer; for slow servers.
  private static let restCycles = 20.0
  /// The greatest factor of a rest.
  private static let longestRestFactor = 128
}
