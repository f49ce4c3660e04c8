/// How many changes are worth waiting for before a commit: those of three fifths of the jobs in flight, unless waiting was in
/// vain; and how long: twice what the last commit took. Where commits are quick, and jobs in flight at a far side that takes its
/// time, what is waited for would be worth less than the wait.
///
/// Jobs in flight at a far side that is slow change nothing for a while. Whoever waited for theirs would wait in vain, and have
/// the jobs of all others wait with him.
struct Gathering {
  /// How many jobs have to be in flight before anything is waited for.
  private static let siblings = 8
  /// The longest wait.
  static let longest: Duration = .milliseconds(5)

  /// How many changes were there when nothing more came, the last time that more were waited for; 0 if more came. For so few
  /// nothing is waited for again.
  private var vain = 0
  /// What the last commit took.
  private var lastCommit: Duration = .zero

  /// How long to wait at most.
  var patience: Duration { min(Self.longest, lastCommit * 2) }

  /// Takes note of what a commit took.
  mutating func committed(in duration: Duration) { lastCommit = duration }

  /// How many more to wait for beside those that are there; 0 for none.
  func wanted(beside count: Int, active: Int) -> Int {
    guard count > vain, active >= Self.siblings else { return 0 }
    return max(0, active * 3 / 5 - count)
  }

  /// Takes note of how many more came to those that were there, in a wait.
  mutating func came(_ more: Int, beside count: Int) { vain = more > 0 ? 0 : count }
}
