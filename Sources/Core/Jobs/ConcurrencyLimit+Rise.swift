extension ConcurrencyLimit {
  /// The first phase: the limit rises with the answers, until answers take longer than at half the limit.
  ///
  /// This is TCP's slow start (RFC 5681), which doubles the window in each round trip, with the brake of TCP Vegas (Brakmo and Peterson,
  /// 1995) and the second look of HyStart++ (RFC 9406): before a block of answers that took long ends the phase, another block is counted
  /// at the same limit. Windows (``Window``) are more precise, but need many rounds for each step.
  struct Rise: Sendable, Hashable {
    /// The consequence of an attempt that ended.
    enum Step {
      /// The block is not complete, or says nothing.
      case stay
      /// Adds this number of slots.
      case grow(by: Int)
      /// Answers take too long: the limit before the last step was high enough.
      case brake
    }

    /// The seconds for each answer in the first block, in the last block and in the one before that; nil if there is none yet.
    ///
    /// The first block is not compared with the next ones: of attempts that begin together, the quick ones end first. But it shows how long
    /// a new connection takes. A cold server takes even longer, so the first block counts as at most ``mostOfFirst`` times a later one.
    private var first: Double?
    private var last: Double?
    private var lastButOne: Double?
    /// The attempts of this block that ended, those that were answered, and the time that these took.
    private var count = 0
    private var answered = 0
    private var total = 0.0
    /// True if attempts waited in this block while nearly all slots were used.
    private var wasUsed = false
    /// True if the block before took too long.
    private var isDoubtful = false

    /// Counts a commit. The slots of the last step are not yet used then, so a quarter of all may be free.
    mutating func committed(isWaiting: Bool, inFlight: Int, slots: Int) {
      if isWaiting, inFlight * 4 >= slots * 3 { wasUsed = true }
    }

    mutating func add(_ attempt: Ended, limit: Int) -> Step {
      count += 1
      if attempt.end == .answered {
        answered += 1
        total += attempt.seconds
      }
      return count < max(ConcurrencyLimit.start, limit / 2) ? .stay : finishBlock()
    }

    private mutating func finishBlock() -> Step {
      // The mean grows with the durations, and with the share of failures.
      let mean = answered > 0 ? total * Double(count) / Double(answered * answered) : .infinity
      let slots = count
      (count, answered, total) = (0, 0, 0)
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
    /// The most that the first block's duration counts, as a multiple of a later block's. With a lower factor, the round trips of new
    /// connections would end the phase.
    private static let mostOfFirst = 2.0
  }
}
