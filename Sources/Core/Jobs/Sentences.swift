public import Messages

/// The sentences that people read about a job; their wording is part of the public interface.
public enum Sentences {
  /// The question about a failed step.
  public static func question(_ step: Step, _ name: FileName, reason: Message) -> Message {
    .stepQuestion(step: step.rawValue, name: name.shown, why: reason)
  }

  /// Returns the sentence for a cancel.
  public static func cancelled(_ step: Step, _ name: FileName, by user: String) -> Message {
    .stepCancelled(step: step.rawValue, name: name.shown, user: DisplayText.escape(user))
  }

  /// Returns the sentence for a cleanup after which nothing is left at a destination.
  public static func cleaned(_ name: FileName, at destination: Destination) -> Message {
    .nothingLeft(name: name.shown, destination: destination.text)
  }

  /// Returns the sentence for an object that stays at a destination; with a reason, it could not be removed or settled.
  public static func objectLeft(_ name: FileName, at destination: Destination, reason: Message?) -> Message {
    guard let reason else { return .objectLeft(name: name.shown, destination: destination.text) }
    return .objectMayBeLeft(name: name.shown, destination: destination.text, why: reason)
  }

  /// Returns the same sentence for a job that has left the ledger, or a file that has left its group.
  public static func objectLeft(_ cleanup: Cleanup, reason: Message?) -> Message {
    let (key, job) = (DisplayText.escape(cleanup.key), cleanup.job.rawValue)
    guard let reason else { return .objectOfJobLeft(key: key, job: job, destination: cleanup.destination.text) }
    return .objectOfJobMayBeLeft(key: key, job: job, destination: cleanup.destination.text, why: reason)
  }

  /// Returns the sentence for a job that a 503 ended.
  public static func aborted(_ step: Step, _ name: FileName) -> Message {
    .stepAborted(step: step.rawValue, name: name.shown)
  }

  /// Returns the sentence after a loss of the ledger: so many jobs are held, because they may not be wanted any more.
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
