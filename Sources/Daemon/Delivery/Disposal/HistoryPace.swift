import Jobs

/// Decides when jobs may be removed from the ledger. A value without a clock.
///
/// The wall clock decides how old a job is, and somebody may set it wrongly. So nothing is removed in the first day after the clock
/// has jumped, which gives a person time to set it right. A time for which the daemon was off looks like a jump.
struct HistoryPace: Equatable {
  /// The time after which a note of an earlier look is replaced, although nothing else has changed.
  private static let noteInterval = Duration.seconds(3600)
  /// The time without removals after a jump.
  static let hold = Duration.seconds(86_400)
  /// The longest time that the daemon may be off without such a wait.
  static let longestAbsence = Duration.seconds(86_400)
  /// The largest difference of the two clocks between two looks that is no jump.
  static let tolerance = Duration.seconds(3600)

  /// The last look.
  private var wall: Timestamp
  private var steady: Timestamp
  /// The time on the steady clock before which nothing is removed.
  private var heldUntil: Timestamp
  /// The jump because of which nothing is removed now; nil if there was none.
  private(set) var jump: Duration?

  /// Begins with the clocks as they are. Nothing is removed in the first day.
  init(now: Timestamp, steady: Timestamp) {
    wall = now
    self.steady = steady
    heldUntil = steady + Self.hold
  }

  /// Continues from the note of an earlier run of the daemon, unless a clock was set since the start.
  mutating func goOn(from note: String?) {
    let numbers = (note ?? "").split(whereSeparator: \.isWhitespace).compactMap { Int64($0) }
    guard numbers.count == 2, jump == nil else { return }
    let absence = wall - Timestamp(microseconds: numbers[0])
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

  /// Compares the clocks with those of the last time; returns true if they differ by so much more or less than before that somebody has set
  /// one.
  mutating func compare(now: Timestamp, steady: Timestamp) -> Bool {
    let jumped = (now - wall) - (steady - self.steady)
    (wall, self.steady) = (now, steady)
    guard jumped > Self.tolerance || jumped < .zero - Self.tolerance else { return false }
    heldUntil = max(heldUntil, steady + Self.hold)
    jump = jumped
    return true
  }

  /// Compares the clocks; returns nil if jobs may be removed now, otherwise the time to wait.
  mutating func look(now: Timestamp, steady: Timestamp) -> Duration? {
    _ = compare(now: now, steady: steady)
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
