/// The sentences that people read about a job; their words are part of the outside contract.
public enum Sentences {
  /// The question about a failed step.
  public static func question(_ step: Step, _ name: FileName, reason: String) -> String {
    // The far side's own words may bring their full stop along.
    "\(step.noun) of \(name.shown) failed: \(reason.hasSuffix(".") ? String(reason.dropLast()) : reason). Retry?"
  }

  /// After a cancel.
  public static func cancelled(_ step: Step, _ name: FileName, by user: String) -> String {
    "\(step.noun) of \(name.shown) cancelled by \(DisplayText.escape(user))"
  }

  /// When what a cancel left at a destination is gone.
  public static func cleaned(_ name: FileName, at destination: String) -> String {
    "Nothing of \(name.shown) is left at \(destination)"
  }

  /// When what a cancel left at a destination stays there; with a reason, because it could not be removed or settled.
  public static func objectLeft(_ name: FileName, at destination: String, reason: String?) -> String {
    guard let reason else { return "The object of \(name.shown) is left at \(destination)" }
    return "The object of \(name.shown) may be left at \(destination): \(reason)"
  }

  /// The same of a job that has left the ledger.
  public static func objectLeft(_ cleanup: Cleanup, reason: String) -> String {
    "The object \(DisplayText.escape(cleanup.key)) of job \(cleanup.job) may be left at \(cleanup.destination): \(reason)"
  }

  /// After a 503.
  public static func aborted(_ step: Step, _ name: FileName) -> String {
    "\(step.noun) of \(name.shown) aborted: service unavailable (503)"
  }

  /// After a loss of the ledger, when so many jobs are held that it cannot be known of whether they are still wanted.
  public static func recovered(_ count: Int) -> String {
    let (files, answers) = count == 1 ? ("1 file was", "its answer") : ("\(count) files were", "their answers")
    return "\(files) claimed before the ledger was lost or restored; \(answers) may be lost, so nothing is claimed or "
      + "sent: waybill resume --recovered, or look at them first"
  }

  /// At the end.
  public static func registered(_ name: FileName) -> String { "\(name.shown) uploaded and registered" }
}
