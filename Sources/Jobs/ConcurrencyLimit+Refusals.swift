extension ConcurrencyLimit {
  /// A limit at which the far side refused, and the wait before the next trial in its direction.
  struct Refusal: Sendable, Hashable {
    /// The limit that was refused.
    var limit: Int
    /// The time for which nothing could be sent after it.
    var cost: Duration = .seconds(30)
    /// The factor of the wait: it grows with each trial that is refused.
    var patience = 1
    /// The time from which the wait counts.
    var waitsFrom: Timestamp

    /// Returns the limit to try above a settled one: the geometric mean with the refused one, because nobody knows on which
    /// scale the far side counts; at most twice the settled one. Past the refused limit it is `next`.
    func between(_ settled: Int, or next: Int) -> Int {
      guard limit > settled else { return next }
      let middle = Int((Double(settled) * Double(limit)).squareRoot().rounded())
      return min(settled * 2, max(settled + 1, middle))
    }

    /// Returns the wait before a trial: the cost of a refusal, divided by what the trial may gain.
    func wait(from settled: Int, to target: Int) -> Duration {
      let gain = Double(target) / Double(settled) - 1
      let wait = Duration.seconds(0.7 * cost.inSeconds * Double(patience) / gain)
      return min(max(wait, Self.shortestWait), Self.longestWait)
    }

    static let mostPatience = 64
    static let shortestWait: Duration = .seconds(10)
    static let longestWait: Duration = .seconds(3600)
  }

  /// The state before a cut, and what the attempts that were in flight at the time tell of it.
  struct Cut: Sendable, Hashable {
    let at: Timestamp
    let tried: Int
    let settled: Int
    let good: Int?
    let refusal: Refusal?
    /// The number of attempts in flight at the cut that went through.
    var through = 0
  }

  /// Takes note of a 503 or a 429.
  ///
  /// One refusal counts, with those of all attempts that were in flight at the time. If the next thing that is heard is a
  /// refusal again, it was the probe's: alone in flight, it shows that the limit was not the cause, and the cut is undone.
  public mutating func refused(after duration: Duration, now: Timestamp) {
    let began = Timestamp(microseconds: now.microseconds - duration.microseconds)
    if let heedsFrom, began < heedsFrom { return }
    if let cut {
      (good, refusal) = (cut.good, cut.refusal)
      settle(at: cut.settled)
    } else {
      confirm(now)
      let patience = patience
      cut = Cut(at: now, tried: limit, settled: settled, good: good, refusal: refusal)
      let tried = limit
      let isOnTrial = limit > settled
      settle(at: isOnTrial ? settled : max(1, min(fallback, tried - 1)))
      refusal = Refusal(limit: max(tried, settled + 1), patience: patience, waitsFrom: now)
      hasPassed = isOnTrial
      restFactor = 1
    }
    isStarting = false
    heedsFrom = now + Self.deafness
    round = Round(from: now)
  }

  /// Hears an answer after a cut; returns false if it says nothing about the present limit.
  mutating func heard(from began: Timestamp, _ now: Timestamp) -> Bool {
    guard let cut else { return true }
    if let heedsFrom, began < heedsFrom {
      self.cut?.through += 1
      return false
    }
    refusal?.cost = began - cut.at
    refusal?.waitsFrom = now
    // most were refused and some went through: the far side counts those in flight, and this is how many it takes
    if cut.through * 3 <= cut.tried * 2 { settle(at: max(settled, cut.through)) }
    self.cut = nil
    settledAt = now
    round = Round(from: now)
    return false
  }

  /// Remembers the settled limit as good once it has lasted.
  mutating func confirm(_ now: Timestamp) {
    let probation = max(Self.probation, (refusal?.cost ?? .zero) * 2)
    if limit >= settled, now - settledAt >= probation { good = settled }
    if let refusal, limit == settled, settled >= refusal.limit, good == settled { self.refusal = nil }
  }

  /// The limit after a refusal at the settled one. It is spent: a second refusal leads lower.
  private var fallback: Int {
    mutating get {
      defer { good = nil }
      if let good { return good < settled ? good : settled * 7 / 8 }
      return settled / (hasPassed ? 2 : 4)
    }
  }

  /// The patience after a refusal now: greater if a limit was refused that had been raised a moment before.
  private var patience: Int {
    guard let refusal else { return 1 }
    if limit > settled || (good ?? settled) < settled { return min(refusal.patience * 4, Refusal.mostPatience) }
    return good == settled ? max(1, refusal.patience / 4) : refusal.patience
  }

  /// The time for which a refusal makes deaf to all attempts that begin: until its commit closes the gate, some still do.
  /// No gate closes for less.
  private static let deafness: Duration = .seconds(1)
  /// The time for which a limit has to go well to be good.
  private static let probation: Duration = .seconds(10)
}
