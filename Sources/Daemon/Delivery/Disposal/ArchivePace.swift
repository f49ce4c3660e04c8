import Jobs

/// The times at which files may leave an archive, and jobs the ledger. A value without a clock.
///
/// The clock that people see decides how old a file or a job is, and somebody may set it. So files of one day leave in an hour at
/// most, and nothing at all leaves in the first day after the clock has jumped: that leaves a person the time to set it right. The
/// time that the daemon was off cannot be told from a jump.
struct ArchivePace: Equatable {
  /// The time between two looks.
  static let pause = Duration.seconds(3600)
  /// The time without removals after a jump.
  static let hold = Duration.seconds(86_400)
  /// The longest time that the daemon may be off without a hold.
  static let longestAbsence = Duration.seconds(86_400)
  /// The largest difference of the two clocks between two looks that is no jump.
  static let tolerance = Duration.seconds(3600)

  /// The last look.
  private var wall: Timestamp
  private var steady: Timestamp
  /// The time on the steady clock before which nothing leaves.
  private var heldUntil: Timestamp
  /// The jump that began the present hold; nil if none did.
  private(set) var jump: Duration?

  /// Begins with what an earlier daemon noted; nil if there is nothing, and then nothing leaves in the first day.
  ///
  /// - Parameter pause: the time that passes between two removals, also over a start.
  init(note: String?, now: Timestamp, steady: Timestamp, pause: Duration = Self.pause) {
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
    // The next removal is as long after the last look, also if the daemon is started again and again.
    let left = min(max(.microseconds(numbers[1]), pause - absence), Self.hold)
    heldUntil = steady + max(.zero, left)
  }

  /// The text from which the next daemon goes on.
  var note: String { "\(wall.microseconds) \(max(.zero, heldUntil - steady).microseconds)\n" }

  /// Returns true if the note of an earlier look would mislead the next daemon: an hour has passed since, or a hold has begun.
  func mustBeNoted(after other: ArchivePace) -> Bool {
    steady - other.steady >= Self.pause || heldUntil != other.heldUntil
  }

  /// Looks at the clocks.
  ///
  /// - Returns: nil if the files of one day may leave now; otherwise the time to wait.
  mutating func look(now: Timestamp, steady: Timestamp) -> Duration? {
    let jumped = (now - wall) - (steady - self.steady)
    (wall, self.steady) = (now, steady)
    if jumped > Self.tolerance || jumped < .zero - Self.tolerance {
      heldUntil = max(heldUntil, steady + Self.hold)
      jump = jumped
    }
    let left = heldUntil - steady
    guard left <= .zero else { return left }
    jump = nil
    return nil
  }

  /// Records that files of one day have left.
  mutating func removed(steady: Timestamp) { heldUntil = max(heldUntil, steady + Self.pause) }

  /// Returns the reason why nothing leaves for a time, in words.
  static func words(_ jump: Duration, _ wait: Duration) -> String {
    let time = (jump < .zero ? .zero - jump : jump).inUnits
    let way = jump < .zero ? "set back by \(time)" : "set forward by \(time), or the daemon was off for so long"
    return
      "nothing is removed for \(wait.inUnits): the clock was \(way). If the date is wrong, set it right before then"
  }
}
