/// The sentences that people read about a job; their words are part of the outside contract.
public enum Sentences {
  /// The question about a failed step.
  public static func question(_ step: Step, _ name: FileName, reason: String) -> String {
    // The server's own words may end with a full stop.
    "\(step.noun) of \(name.shown) failed: \(reason.hasSuffix(".") ? String(reason.dropLast()) : reason). Retry?"
  }

  /// Returns the sentence for a cancel.
  public static func cancelled(_ step: Step, _ name: FileName, by user: String) -> String {
    "\(step.noun) of \(name.shown) cancelled by \(DisplayText.escape(user))"
  }

  /// Returns the sentence for a cleanup after which nothing is left at a destination.
  public static func cleaned(_ name: FileName, at destination: String) -> String {
    "Nothing of \(name.shown) is left at \(destination)"
  }

  /// Returns the sentence for an object that stays at a destination; with a reason, it could not be removed or settled.
  public static func objectLeft(_ name: FileName, at destination: String, reason: String?) -> String {
    guard let reason else { return "The object of \(name.shown) is left at \(destination)" }
    return "The object of \(name.shown) may be left at \(destination): \(reason)"
  }

  /// Returns the same sentence for a job that has left the ledger.
  public static func objectLeft(_ cleanup: Cleanup, reason: String) -> String {
    "The object \(DisplayText.escape(cleanup.key)) of job \(cleanup.job) may be left at \(cleanup.destination): \(reason)"
  }

  /// Returns the sentence for a job that a 503 ended.
  public static func aborted(_ step: Step, _ name: FileName) -> String {
    "\(step.noun) of \(name.shown) aborted: service unavailable (503)"
  }

  /// Returns the sentence for a loss of the ledger, after which it is unknown if that many held jobs are still wanted.
  public static func recovered(_ count: Int) -> String {
    let (files, answers) = count == 1 ? ("1 file was", "its answer") : ("\(count) files were", "their answers")
    return "\(files) claimed before the ledger was lost or restored; \(answers) may be lost, so nothing is claimed or "
      + "sent. Look at the jobs first (waybill list), then: waybill resume --recovered"
  }

  /// Returns the sentence for a job that is done.
  public static func registered(_ name: FileName) -> String { "\(name.shown) uploaded and registered" }
}
