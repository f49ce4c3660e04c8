extension ConcurrencyLimit {
  /// Counts the ends of the attempts that were in flight when the server refused one of them.
  struct Flight: Sendable, Hashable {
    /// The time of the first refusal.
    let at: Timestamp
    /// The number of attempts that were answered, and of those that were refused or failed.
    private(set) var through = 0
    private(set) var lost = 1
    /// True if the next probe was refused too. The probe is alone in flight, so the limit was not the cause.
    var isByOthers = false

    /// Returns true if an attempt that began at this time was in flight. Some attempts still begin until the commit of the
    /// refusal closes the gate; no gate closes for less than this second.
    func has(_ began: Timestamp) -> Bool { began < at + .seconds(1) }

    mutating func add(_ end: End) { if end == .answered { through += 1 } else { lost += 1 } }

    /// The part of a limit that the server accepted, by the share of the attempts that went through; nil if the losses are few enough
    /// to be chance.
    func taken(of limit: Int) -> Int? {
      lost > 1 && lost * 7 >= through ? limit * through / (through + lost) : nil
    }
  }

  /// A limit that the server refused, and the wait before the next trial in its direction.
  struct Ceiling: Sendable, Hashable {
    /// The limit that was refused.
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

    /// Returns the wait before a trial: the cost of a refusal, divided by what the trial may gain.
    func wait(from settled: Int, to target: Int) -> Duration {
      let gain = Double(target) / Double(settled) - 1
      let wait = Duration.seconds(0.7 * cost.inSeconds * Double(patience) / gain)
      return min(max(wait, Self.shortestWait), Self.longestWait)
    }

    static let mostPatience = 64
    private static let shortestWait: Duration = .seconds(10)
    private static let longestWait: Duration = .seconds(3600)
  }

  /// Records the end of an attempt after a refusal. The limit changes only when the probe is answered: until then nothing begins.
  mutating func heard(_ end: End, _ flight: Flight, from began: Timestamp, _ now: Timestamp) {
    if flight.has(began) {
      self.flight?.add(end)
    } else if end != .answered {
      self.flight?.isByOthers = true
    } else {
      self.flight = nil
      if flight.isByOthers { settle(at: settled.limit) } else { cut(flight, pause: began - flight.at, now) }
      window = Window(from: now, after: window)
    }
  }

  /// Lowers the limit after a refusal, which closed the destination's gate for `pause`.
  private mutating func cut(_ flight: Flight, pause: Duration, _ now: Timestamp) {
    isStarting = false
    restFactor = 1
    let tried = limit
    let hasLasted = settled.hasLasted(until: flight.at, ceiling)
    var patience = ceiling?.patience ?? 1
    if tried > settled.limit || settled.good != nil && !hasLasted {
      if ceiling != nil { patience = min(patience * 4, Ceiling.mostPatience) }
    } else if hasLasted {
      patience = max(1, patience / 4)
    }
    if tried > settled.limit {
      settled.hasPassed = true
    } else {
      let before = hasLasted ? nil : settled.good
      let lower = before ?? (hasLasted ? tried * 7 / 8 : tried / (settled.hasPassed ? 2 : 4))
      let limit = max(1, min(max(lower, flight.taken(of: tried) ?? 0), tried - 1))
      settled = Settled(limit: limit, since: now, hasPassed: false, good: nil)
    }
    settle(at: settled.limit)
    ceiling = Ceiling(limit: max(tried, settled.limit + 1), cost: pause, patience: patience, waitsFrom: now)
  }
}

extension ConcurrencyLimit.Settled {
  /// Returns true if enough time has passed without a refusal (10 s, or twice the last pause) for the next refusal to be news.
  func hasLasted(until now: Timestamp, _ ceiling: ConcurrencyLimit.Ceiling?) -> Bool {
    now - since >= max(.seconds(10), (ceiling?.cost ?? .zero) * 2)
  }
}

extension ConcurrencyLimit {
  /// Returns the reason, apart from the pace, why the limit is no higher, in words for people; nil if there is none.
  public func heldDown(now: Timestamp) -> String? {
    var reasons: [String] = []
    if let ceiling, limit < ceiling.limit { reasons.append("\(ceiling.limit) at once were refused") }
    if lowersFrom > now { reasons.append("time-outs hold many of its slots") }
    if share < Self.manyAnswers { reasons.append("\(Int(((1 - share) * 100).rounded())) % of its requests fail") }
    return reasons.isEmpty ? nil : reasons.joined(separator: ", ")
  }

  /// The share of answers below which failures are named as a reason.
  private static let manyAnswers = 0.95
}
