import Jobs

/// The success at a destination whose attempt began last. It distinguishes a key that is refused for one job alone from a key that is
/// refused for all. A restart forgets it: then a refused job asks only after another job has succeeded.
struct LastSuccess: Hashable, Sendable {
  /// The sequence of the last event when the success was recorded.
  var sequence: Int64
  /// The start of the attempt.
  var startedAt: Timestamp

  /// Returns the one of two that began later. A start in the future, from before the clock was set back, does not count.
  func orLater(_ other: LastSuccess?, now: Timestamp) -> LastSuccess {
    guard let other, other.startedAt > startedAt, other.startedAt <= now else { return self }
    return other
  }
}
