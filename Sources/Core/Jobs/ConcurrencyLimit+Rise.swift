extension ConcurrencyLimit {
  /// The first phase: the limit rises by the answers, until they take longer than they did at half of it.
  ///
  /// This is TCP's slow start (RFC 5681), which doubles the window in each round trip, with the brake of TCP Vegas (Brakmo and
  /// Peterson, 1995) and the second look of HyStart++ (RFC 9406): before a block of answers that took long ends the phase, another
  /// one is counted at the same limit. Windows (``Window``) are more precise, but need many rounds for each step.
  struct Rise: Sendable, Hashable {
    /// The consequence of an attempt that ended.
    enum Step {
      /// The block is not complete, or says nothing.
      case stay
      /// Adds this number of slots.
      case grow(by: Int)
      /// Answers take too long: the limit before the last step was high enough.
      case brake
      /// Attempts failed, or all are of large files, whose durations say nothing. The windows decide.
      case end
    }

    /// The mean durations of the first block, of the last one and of the one before, in seconds; nil if there is none yet.
    ///
    /// The first one is not compared with the next ones: of the attempts that begin together, the quick ones end first. But it is the
    /// time that a new connection takes. A cold server takes even longer, which does not matter once it is warm: so it counts as at
    /// most ``mostOfFirst`` times a later block.
    private var first: Double?
    private var last: Double?
    private var lastButOne: Double?
    /// The attempts of this block that ended, and the time that they took.
    private var count = 0
    private var total = 0.0
    private var hasFailed = false
    /// True if attempts waited in this block while nearly all slots were used.
    private var wasUsed = false
    /// True if the block before took too long.
    private var isDoubtful = false
    /// The uploads of large files since the last other attempt.
    private var large = 0

    /// Counts a commit. The slots of the last step are not yet used then, so a quarter of them may be free.
    mutating func look(isWaiting: Bool, inFlight: Int, limit: Int) {
      if isWaiting, inFlight * 4 >= limit * 3 { wasUsed = true }
    }

    /// Counts an attempt that ended.
    mutating func add(_ attempt: Ended, limit: Int) -> Step {
      guard !attempt.isLarge else {
        large += 1
        return large < ConcurrencyLimit.start ? .stay : .end
      }
      large = 0
      count += 1
      total += attempt.duration.inSeconds
      if attempt.end != .answered { hasFailed = true }
      return count < max(ConcurrencyLimit.start, limit / 2) ? .stay : finishBlock()
    }

    private mutating func finishBlock() -> Step {
      let (slots, mean) = (count, total / Double(count))
      (count, total) = (0, 0)
      guard !hasFailed else { return .end }
      guard exchange(&wasUsed, with: false) else { return .stay }
      guard let first else {
        self.first = mean
        return .grow(by: slots)
      }
      // The attempts of this block began before the last step: the block with half of their slots is the last but one.
      if let usual = lastButOne ?? last, mean > max(first, usual) * Self.tooLong {
        return exchange(&isDoubtful, with: true) ? .brake : .stay
      }
      isDoubtful = false
      self.first = min(first, mean * Self.mostOfFirst)
      (lastButOne, last) = (last, mean)
      return .grow(by: slots)
    }

    /// The factor of the duration at which twice as many slots gain too little: a seventh more answers a second instead of twice
    /// as many.
    private static let tooLong = 1.75
    /// The factor of a later block's duration down to which the first block's counts. With a lower one, new connections, which take
    /// some round trips, would end the phase.
    private static let mostOfFirst = 2.0
  }

  /// Raises the limit by an attempt that ended, or ends the first phase.
  mutating func rise(by attempt: Ended, _ now: Timestamp) {
    switch rise?.add(attempt, limit: limit) {
    case nil, .stay?: return
    case .grow(let slots)?:
      settled = Settled(limit: limit, since: now, hasPassed: true, good: settled.limit)
      settle(at: min(most, limit + slots))
      guard limit == most else { return }
      settled.limit = most
      endRise(now)
      restsUntil = now + Self.restAtMost
    case .brake?:
      hasBraked = true
      endRise(now)
    case .end?: endRise(now)
    }
  }

  /// Goes on with windows from the last limit that went well.
  private mutating func endRise(_ now: Timestamp) {
    rise = nil
    settle(at: settled.limit)
    window = Window(from: now, isFirst: true)
    restsUntil = now
    restFactor = Self.firstRestFactor
  }

  /// The rest before the first trial below the highest limit. Soon after the start files are still being admitted, and two windows
  /// differ for that reason alone.
  private static let restAtMost: Duration = .seconds(5)
  /// The factor of the first rest, for the same reason.
  private static let firstRestFactor = 4
}
