import Jobs

/// Decides when jobs may be removed from the ledger. A value without a clock.
///
/// The wall clock decides how old a job is, and somebody may set it wrongly. So nothing is removed on the first day after a jump of the
/// clock, so that a person has time to correct it. A time without a running daemon looks like a jump.
struct HistoryPace: Equatable {
  /// The time after which a note of an earlier look is replaced, although nothing else has changed.
  private static let noteInterval = Duration.seconds(3600)
  /// The time without removals after a jump.
  static let hold = Duration.seconds(86_400)
  /// The longest time that the daemon may be off without such a wait.
  static let longestAbsence = Duration.seconds(86_400)
  /// The largest difference of the two clocks between two looks that does not count as a jump.
  static let tolerance = Duration.seconds(3600)

  /// The last look.
  private var wall: Timestamp
  private var steady: Timestamp
  /// The time on the steady clock before which nothing is removed.
  private var heldUntil: Timestamp
  /// The jump because of which nothing is removed now; nil if there was none.
  private(set) var jump: Duration?

  /// Continues from the note of an earlier run of the daemon. Without a note, nothing is removed in the first day.
  init(note: String?, now: Timestamp, steady: Timestamp) {
    wall = now
    self.steady = steady
    heldUntil = steady + Self.hold
    let numbers = (note ?? "").split(whereSeparator: \.isWhitespace).compactMap { Int64($0) }
    guard numbers.count == 2 else { return }
    let absence = now - Timestamp(microseconds: numbers[0])
    guard absence >= .zero, absence <= Self.longestAbsence else {
      jump = absence
      return
    }
    heldUntil = steady + max(.zero, min(.microseconds(numbers[1]), Self.hold))
  }

  /// The text from which the next run of the daemon continues.
  var note: String { "\(wall.microseconds) \(max(.zero, heldUntil - steady).microseconds)\n" }

  /// Returns true if the note of an earlier look would mislead the next run: an hour has passed since, or removals were put off.
  func mustBeNoted(after other: HistoryPace) -> Bool {
    steady - other.steady >= Self.noteInterval || heldUntil != other.heldUntil
  }

  /// Returns true if the difference of the two clocks has changed so much that one was set.
  static func isJump(_ difference: Duration) -> Bool { difference > tolerance || difference < .zero - tolerance }

  /// Compares the clocks with those of the last look.
  ///
  /// - Parameter last: the last jump that was noticed between two looks. The clock may have been corrected since.
  /// - Returns: nil if jobs may be removed now; otherwise the time to wait.
  mutating func look(now: Timestamp, steady: Timestamp, after last: ClockJumps.Jump? = nil) -> Duration? {
    let jumped = (now - wall) - (steady - self.steady)
    (wall, self.steady) = (now, steady)
    if let last, last.at + Self.hold > steady {
      heldUntil = max(heldUntil, last.at + Self.hold)
      jump = last.by
    }
    if Self.isJump(jumped) {
      heldUntil = max(heldUntil, steady + Self.hold)
      jump = jumped
    }
    let left = heldUntil - steady
    guard left <= .zero else { return left }
    jump = nil
    return nil
  }

  /// Returns the reason why nothing is removed for a time, in words.
  static func words(_ jump: Duration, _ wait: Duration) -> String {
    let time = (jump < .zero ? .zero - jump : jump).inUnits
    let way = jump < .zero ? "set back by \(time)" : "set forward by \(time), or the daemon was off for so long"
    return
      "nothing is removed for \(wait.inUnits): the clock was \(way). If the date is wrong, set it right before then"
  }
}
