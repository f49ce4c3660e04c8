/// The decision on a failed attempt.
public enum Verdict: Hashable, Sendable {
  /// End the job at once, with no question and no retry: a 503, unless the destination has `unavailable = "retry"`.
  case abort
  /// Try again by itself after a pause, spending one of the policy's delays.
  case retry(after: Duration)
  /// Try again by itself after a pause that spends no delay: a 429, a file that changed.
  case wait(after: Duration)
  /// Ask the operator.
  case ask
  /// Go back to the queue without spending a delay: another job asks the operator about their common destination.
  case requeue
  /// Wait until a different key is read or a probe succeeds.
  case awaitCredentials
  /// Wait until the network or the destination is back.
  case awaitNetwork
}

extension Verdict {
  /// The shortest and longest wait that a server's `Retry-After` can ask for.
  public static let retryAfterLimits: ClosedRange<Duration> = .seconds(1) ... .seconds(3600)

  /// The table: returns the verdict on a failure, given the number of delays spent. The destination's gate may overrule it, see
  /// ``Gate/verdict(_:on:of:steady:)``.
  ///
  /// `settle` is the pause of the file's spool after a change; `policy.jitter` is applied once when a delay is spent.
  public static func on(
    _ failure: Failure, delaysSpent: Int, policy: RetryPolicy, settle: Duration,
    random: inout some RandomNumberGenerator
  ) -> Verdict {
    switch failure.kind {
    case .unavailable: policy.unavailable == .abort ? .abort : retryOrAsk(failure, delaysSpent, policy, &random)
    case .credentials: .awaitCredentials
    case .network: .awaitNetwork
    case .throttled: .wait(after: failure.retryAfter.map(clamp) ?? Gate.firstPause)
    case .transient: retryOrAsk(failure, delaysSpent, policy, &random)
    case .conflict: failure.retryAfter == nil ? .ask : retryOrAsk(failure, delaysSpent, policy, &random)
    case .fileChanged: .wait(after: settle)
    case .destination, .rejected, .file, .configuration: .ask
    }
  }

  private static func retryOrAsk(
    _ failure: Failure, _ delaysSpent: Int, _ policy: RetryPolicy, _ random: inout some RandomNumberGenerator
  ) -> Verdict {
    guard policy.delays.indices.contains(delaysSpent) else { return .ask }
    let share = 1 + policy.jitter * Double.random(in: -1...1, using: &random)
    let delay = policy.delays[delaysSpent] * share
    assert(delay >= .zero, "a share of the pause that is more than the pause")
    guard let asked = failure.retryAfter else { return .retry(after: delay) }
    return .retry(after: max(delay, clamp(asked)))
  }

  /// Returns the wait for a server's `Retry-After`, within the limits.
  static func clamp(_ asked: Duration) -> Duration {
    min(max(asked, retryAfterLimits.lowerBound), retryAfterLimits.upperBound)
  }
}
