/// Decides how many changes a commit waits for, and how long. It waits for the changes of three fifths of the jobs in flight, unless
/// such a wait was in vain, and for at most twice the duration of the last commit. If commits are quick, waiting costs more than it
/// saves.
///
/// Jobs in flight at a slow server change nothing for a while. A commit that waited for their changes would wait in vain, and
/// the jobs of all others would wait with it.
struct Gathering {
  /// The number of jobs that must be in flight before a commit waits at all.
  private static let siblings = 8
  /// The longest wait.
  static let longest: Duration = .milliseconds(5)

  /// The number of changes at the last wait in which no more came; 0 if more came. With so few changes, a commit does not wait again.
  private var vain = 0
  /// The duration of the last commit.
  private var lastCommit: Duration = .zero

  /// The longest time to wait.
  var patience: Duration { min(Self.longest, lastCommit * 2) }

  /// Notes the duration of a commit.
  mutating func committed(in duration: Duration) { lastCommit = duration }

  /// Returns the number of further changes to wait for beside those that are there; 0 for none.
  func wanted(beside count: Int, active: Int) -> Int {
    guard count > vain, active >= Self.siblings else { return 0 }
    return max(0, active * 3 / 5 - count)
  }

  /// Notes how many more changes came in a wait, beside those that were there.
  mutating func came(_ more: Int, beside count: Int) { vain = more > 0 ? 0 : count }
}
