/// The number of attempts that one destination may have in flight at once, as `concurrency = "auto"` finds it.
///
/// A pure value: it has no clock and no timer; its functions record how attempts ended, with the time as a parameter. At first the limit
/// rises as fast as answers come, until they take too long (``Rise``). Then more slots are worth it only if they bring more answers a
/// second: a window of attempts at the present limit (``Window``) is compared with one at a limit that is a step higher or lower, and the
/// higher limit stays if it raises the pace by a good part of the growth in slots. A refusal (503, 429) lowers the limit; the more it cost,
/// the longer is the wait before a higher limit is tried (``Ceiling``).
public struct ConcurrencyLimit: Sendable, Hashable {
  package static let start = 16
  package static let highest = 256
  /// The failures in a row that count as a refusal.
  public static let mostFailures = 8
  /// The lowest limit that the pace leads to; only refusals lead lower. So few slots cost little, and one slow answer does not block all
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
    /// True if requests waited for their limit a second meanwhile, so that the duration says nothing about the server.
    let isHeld: Bool
    /// The duration in seconds; of a large file, for as many bytes as the smallest one has.
    let seconds: Double

    /// Creates the end of an attempt.
    /// - Parameters:
    ///   - duration: the time for which its slot was held.
    ///   - size: the bytes of a large file that it uploaded; nil for all other attempts.
    ///   - isHeld: true if its requests may have waited for a limit of requests a second.
    public init(_ end: End, after duration: Duration, size: Int64? = nil, isHeld: Bool = false) {
      self.isHeld = isHeld
      self.end = end
      self.duration = duration
      isLarge = size != nil
      let work = size.map { Double(max($0, Job.leastLarge)) / Double(Job.leastLarge) } ?? 1
      seconds = duration.inSeconds / work
    }
  }

  /// The number of attempts that may be in flight now.
  public internal(set) var limit: Int
  /// The highest number for this destination.
  private let most: Int
  /// The limit that a trial is compared with, and returns to.
  private(set) var settled: Int
  /// The time from which the settled limit has been in force.
  private(set) var settledAt: Timestamp
  /// The limit before it was raised to the settled one, to fall back to at a refusal; nil if there is none.
  private(set) var good: Int?
  /// The window of the settled limit, while another one is on trial.
  private var compared: Window?
  var window: Window
  /// The failures since the last answer, without those that took less than half of the usual time: these overtake answers, and the gate
  /// counts them.
  private var failuresInARow = 0
  /// The uploads of large files of late, less four for each other attempt.
  private var large = 0
  /// The time until which a fifth of the slots waits for time-outs. Such a slot does no work, and after a change of the limit the
  /// number of such slots changes only when a time-out has passed.
  private var stalledUntil: Timestamp
  /// True if failures had closed the gate at the last commit.
  private var wasHeld = false
  /// The refusal after which no probe was answered yet.
  var refusal: Refusal?
  var ceiling: Ceiling?
  /// The first phase; nil after it.
  private var rise: Rise? = Rise()
  private var growsNext = true
  /// The earliest time of the next trial. A trial that waited because of a refusal does not wait for this too.
  private var restsUntil: Timestamp
  /// The next rest: it doubles with each trial that changes nothing.
  var rest = shortestRest

  /// Creates the limit of an unknown destination; `most` is the highest limit that memory allows. All functions take the time on the steady
  /// clock.
  package init(most: Int = highest, now: Timestamp) {
    self.most = max(1, min(most, Self.highest))
    limit = min(Self.start, self.most)
    settled = limit
    settledAt = now
    window = Window(from: now)
    restsUntil = now
    stalledUntil = now
  }

  /// Records, after each commit, if attempts wait for a slot, how many are in flight, and if failures have closed the gate, which
  /// counts as a refusal. A window without waiting attempts says nothing about the limit.
  public mutating func committed(isWaiting: Bool, inFlight: Int, isHeld: Bool = false, now: Timestamp) {
    defer { assert(isSound, "\(self)") }
    if isHeld, !wasHeld, refusal == nil { refused(now, isByOthers: now < stalledUntil) }
    wasHeld = isHeld
    guard refusal == nil else { return }
    let slots = isOfLarge ? limit / 2 : limit
    rise?.committed(isWaiting: isWaiting, inFlight: inFlight, slots: slots)
    guard rise == nil, window.committed(isWaiting: isWaiting, limit: limit) else { return }
    finishWindow(now)
    window = Window(from: now, after: window)
  }

  /// Records the end of an attempt.
  public mutating func ended(_ attempt: Ended, now: Timestamp) {
    defer { assert(isSound, "\(self)") }
    // With inertia, so that a few files of the other kind do not throw each window away.
    large = attempt.isLarge ? min(large + 1, 2 * Self.start) : max(0, large - 4)
    if attempt.end != .failed {
      failuresInARow = 0
    } else if !attempt.isHeld, window.mean > 0, attempt.seconds > window.mean * 8 {
      stalledUntil = min(max(stalledUntil, now) + attempt.duration * 5 / limit, now + attempt.duration * 4)
    } else if attempt.isHeld || attempt.seconds * 2 >= window.mean {
      failuresInARow += 1
    }
    let began = now + (.zero - attempt.duration)
    if let refusal {
      heard(attempt.end, refusal, from: began, now)
    } else if attempt.end == .refused || failuresInARow >= Self.mostFailures {
      refused(now, isByOthers: false)
    } else if attempt.isHeld || attempt.isLarge != isOfLarge {
      return
    } else if rise != nil {
      rise(by: attempt, now)
    } else {
      window.add(attempt, began: began, limit: limit)
    }
  }

  /// True if the limits are possible, and nothing is tried after a refusal.
  private var isSound: Bool {
    (1...most).contains(limit) && (1...most).contains(settled) && (good ?? 1) <= settled
      && (refusal == nil || rise == nil) && (ceiling?.patience ?? 1) > 0
  }

  /// True if nearly all attempts are uploads of large files, which hold half of the slots at most. Else the durations of large files do not
  /// count, because size decides them.
  private var isOfLarge: Bool { large >= Self.start }

  /// Raises the limit by an attempt that ended, or ends the first phase.
  private mutating func rise(by attempt: Ended, _ now: Timestamp) {
    switch rise?.add(attempt, limit: limit) {
    case nil, .stay?: return
    case .grow(let slots)?:
      settle(at: limit, now)
      limit = min(most, limit + slots)
      guard limit == most else { return }
      settle(at: most, now)
      restsUntil = now + Self.restAtMost
    case .brake?: limit = settled
    }
    rise = nil
    window = Window(from: now)
  }

  /// Decides at the end of a window if the limit changes.
  private mutating func finishWindow(_ now: Timestamp) {
    if limit == settled, let ceiling, limit >= ceiling.limit, hasLasted(until: now) { self.ceiling = nil }
    // Windows of different kinds cannot be compared.
    guard window.wasInDemand, compared.map({ $0.isOfLarge == window.isOfLarge }) ?? true else { return back() }
    guard let compared else {
      if now >= restsUntil || ceiling != nil { tryNext(now) }
      return
    }
    let isHigher = limit > settled
    let isWorthIt =
      isHigher
      ? now < stalledUntil || window.isWorth(limit, over: compared, settled)
      : compared.isWorth(settled, over: window, limit)
    if isHigher || !isWorthIt { ceiling?.waitsFrom = now }
    if isWorthIt == isHigher {
      settle(at: limit, now)
      rest = Self.shortestRest
      if tryNext(now) { return }
    } else {
      growsNext = !isHigher
    }
    back()
    restsUntil = now + rest
    rest = min(rest * 2, Self.longestRest)
  }

  /// Begins a trial in the next direction, up or down; false if there is nothing to try there.
  @discardableResult
  private mutating func tryNext(_ now: Timestamp) -> Bool {
    guard let target = growsNext ? higher(now) : lower(now) else {
      growsNext.toggle()
      return false
    }
    compared = window
    limit = target
    return true
  }

  /// The next lower limit to try; nil if there is none. Large files alone do not bring the limit below that at the beginning, because it
  /// counts for small files too.
  private func lower(_ now: Timestamp) -> Int? {
    guard now >= restsUntil, now >= stalledUntil else { return nil }
    let least = window.isOfLarge ? Self.start : Self.leastByPace
    let target = max(least, min(settled - 1, Int(Double(settled) / Self.step)))
    return target < settled ? target : nil
  }

  /// The next higher limit to try; nil if there is none, or if a refusal says to wait.
  private func higher(_ now: Timestamp) -> Int? {
    let next = max(settled + 1, Int(Double(settled) * Self.step))
    let target = min(most, ceiling?.between(settled, or: next) ?? next)
    guard target > settled else { return nil }
    if let ceiling, now - ceiling.waitsFrom < ceiling.wait(from: settled, to: target) { return nil }
    return target
  }

  /// Returns to the settled limit.
  mutating func back() {
    limit = settled
    compared = nil
  }

  mutating func settle(at limit: Int, _ now: Timestamp) {
    good = limit > settled ? settled : nil
    settled = limit
    settledAt = now
    back()
  }

  /// Begins to count how the attempts in flight end, because the server refused one.
  private mutating func refused(_ now: Timestamp, isByOthers: Bool) {
    rise = nil
    refusal = Refusal(at: now, isByOthers: isByOthers)
  }

  /// The ratio of neighbouring limits.
  private static let step = 1.4
  /// The rest before the first trial below the highest limit. Soon after the start files are still being admitted, and two windows
  /// differ for that reason alone.
  private static let restAtMost: Duration = .seconds(5)
  static let shortestRest: Duration = .seconds(1)
  private static let longestRest: Duration = .seconds(80)
}
