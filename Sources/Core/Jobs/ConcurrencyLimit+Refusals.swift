extension ConcurrencyLimit {
  /// Counts the ends of the attempts that were in flight when the server refused one of them.
  struct Refusal: Sendable, Hashable {
    /// The time of the first refusal.
    let at: Timestamp
    /// True if the limit was not the cause: slots waited for time-outs, or the next probe, which is alone in flight, was refused too.
    var isByOthers: Bool
    /// The number of attempts that were answered, and of those that were refused or failed.
    private var through = 0
    private var lost = 1

    init(at: Timestamp, isByOthers: Bool) {
      self.at = at
      self.isByOthers = isByOthers
    }

    /// Returns true if an attempt that began at this time counts as in flight at the refusal. Some begin before the refusal's commit closes
    /// the gate; no gate closes for less than this second.
    func has(_ began: Timestamp) -> Bool { began < at + .seconds(1) }

    mutating func add(_ end: End) { if end == .answered { through += 1 } else { lost += 1 } }

    /// The part of a limit that the server accepted, by the share of the attempts that went through; 0 if the losses are few enough
    /// to be chance.
    func taken(of limit: Int) -> Int { lost > 1 && lost * 7 >= through ? limit * through / (through + lost) : 0 }
  }

  /// A limit that the server refused, and the wait before a higher limit is tried.
  struct Ceiling: Sendable, Hashable {
    let limit: Int
    /// The time for which nothing could be sent after it.
    let cost: Duration
    /// The factor of the wait: it grows with each trial that is refused.
    let patience: Int
    /// The time from which the wait counts.
    var waitsFrom: Timestamp

    /// Returns the limit to try above a settled one: the geometric mean with the refused one, because the server's scale is unknown; at
    /// most twice the settled one. Past the refused limit it is `next`.
    func between(_ settled: Int, or next: Int) -> Int {
      guard limit > settled else { return next }
      let middle = Int((Double(settled) * Double(limit)).squareRoot().rounded())
      return min(settled * 2, max(settled + 1, middle))
    }

    /// Returns the wait before a trial: the cost of a refusal, divided by what the trial may gain; 10 s to an hour.
    func wait(from settled: Int, to target: Int) -> Duration {
      let gain = Double(target) / Double(settled) - 1
      return min(max(.seconds(0.7 * cost.inSeconds * Double(patience) / gain), .seconds(10)), .seconds(3600))
    }
  }

  /// Returns true if the settled limit had no refusal for so long (10 s, or twice the last pause) that a new refusal is news.
  func hasLasted(until now: Timestamp) -> Bool { now - settledAt >= max(.seconds(10), (ceiling?.cost ?? .zero) * 2) }

  /// Records the end of an attempt after a refusal. The limit changes only when the probe is answered: until then nothing begins.
  mutating func heard(_ end: End, _ refusal: Refusal, from began: Timestamp, _ now: Timestamp) {
    if refusal.has(began) {
      self.refusal?.add(end)
    } else if end != .answered {
      self.refusal?.isByOthers = true
    } else {
      self.refusal = nil
      if refusal.isByOthers { back() } else { lower(after: refusal, pause: began - refusal.at, now) }
      window = Window(from: now, after: window)
    }
  }

  /// Lowers the limit after a refusal that closed the destination's gate for `pause`. A trial ends at the settled limit. A settled limit
  /// falls by an eighth if it has lasted; else to the limit before it was raised, or to half; never below the number that the server
  /// accepted.
  private mutating func lower(after refusal: Refusal, pause: Duration, _ now: Timestamp) {
    let (tried, hasLasted) = (limit, hasLasted(until: refusal.at))
    let wasTrial = tried > settled
    var patience = ceiling?.patience ?? 1
    if ceiling != nil, wasTrial || good != nil && !hasLasted {
      patience = min(patience * 4, Self.mostPatience)
    } else if hasLasted {
      patience = max(1, patience / 4)
    }
    if wasTrial {
      back()
    } else {
      let lower = hasLasted ? tried * 7 / 8 : good ?? tried / 2
      settle(at: max(1, min(max(lower, refusal.taken(of: tried)), tried - 1)), now)
    }
    rest = Self.shortestRest
    ceiling = Ceiling(limit: max(tried, settled + 1), cost: pause, patience: patience, waitsFrom: now)
  }

  private static let mostPatience = 64
}
