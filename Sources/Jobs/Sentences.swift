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

  /// After a 503.
  public static func aborted(_ step: Step, _ name: FileName) -> String {
    "\(step.noun) of \(name.shown) aborted: service unavailable (503)"
  }

  /// At the end.
  public static func registered(_ name: FileName) -> String { "\(name.shown) uploaded and registered" }
}
