public import Messages

/// The sentences that people read about a job; their wording is part of the public interface.
public enum Sentences {
  /// Returns the sentence for a cancel.
  public static func cancelled(_ step: Step, _ name: FileName, by user: String) -> Message {
    .stepCancelled(step: step.rawValue, name: name.shown, user: DisplayText.escape(user))
  }

  /// Returns the sentence for an object that stays, of a job that has left the ledger or a file that has left its group; with a reason, it
  /// could not be removed or settled.
  public static func objectLeft(_ cleanup: Cleanup, reason: Message?) -> Message {
    let (key, job) = (DisplayText.escape(cleanup.key), cleanup.job.rawValue)
    guard let reason else { return .objectOfJobLeft(key: key, job: job, destination: cleanup.destination.text) }
    return .objectOfJobMayBeLeft(key: key, job: job, destination: cleanup.destination.text, why: reason)
  }

  /// Returns the sentence for a loss of the ledger, after which it is unknown if that many held jobs are still wanted.
  public static func recovered(_ count: Int) -> Message { count == 1 ? .recoveredOne : .recoveredMany(count: count) }

  /// Returns the sentence for a skipped job. If the job is read later, the earlier job may be unknown.
  ///
  /// - Parameter earlier: the number of the job that sent the bytes.
  public static func skipped(_ name: FileName, as earlier: Int64?) -> Message {
    earlier.map { .skippedAs(name: name.shown, job: $0) } ?? .skipped(name: name.shown)
  }

  /// Returns the sentence for a job that is done.
  public static func registered(_ name: FileName) -> Message { .registered(name: name.shown) }
}
