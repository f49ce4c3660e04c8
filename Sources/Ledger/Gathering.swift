/// How many changes are worth waiting for before a commit: half of the jobs in flight, unless waiting was in vain.
///
/// Jobs in flight at a far side that is slow change nothing for a while. Whoever waited for theirs would wait in vain, and have
/// the jobs of all others wait with him.
struct Gathering {
  /// How many jobs have to be in flight before anything is waited for.
  private static let siblings = 8

  /// How many changes were there when nothing more came, the last time that more were waited for; 0 if more came. For so few
  /// nothing is waited for again.
  private var vain = 0

  /// How many more to wait for beside those that are there; 0 for none.
  func wanted(beside count: Int, active: Int) -> Int {
    guard count > vain, active >= Self.siblings else { return 0 }
    return max(0, active / 2 - count)
  }

  /// Takes note of how many more came to those that were there, in a wait.
  mutating func came(_ more: Int, beside count: Int) { vain = more > 0 ? 0 : count }
}
