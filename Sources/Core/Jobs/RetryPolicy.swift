/// The rules for retrying a destination's failures: `[retry]`, or the destination's own `retry`.
public struct RetryPolicy: Hashable, Sendable {
  /// The effect of a 503.
  public enum OnUnavailable: String, Sendable {
    case abort
    /// A 503 is treated like a 502.
    case retry
  }

  /// The pauses between tries: n delays mean n automatic retries, then a question.
  public var delays: [Duration]
  /// The share of each delay by which jitter lengthens or shortens it at random, 0 … 1. A tenth spreads over seconds the jobs that one
  /// failure stopped, and nobody notices it.
  public var jitter: Double
  /// The effect of a 503.
  public var unavailable: OnUnavailable

  package init(
    delays: [Duration] = [.seconds(1), .seconds(3), .seconds(5), .seconds(10)], jitter: Double = 0.1,
    unavailable: OnUnavailable = .abort
  ) {
    self.delays = delays
    self.jitter = jitter
    self.unavailable = unavailable
  }

  /// The longest wait that any policy can ask for: delays are of 30 days at most, and jitter may double them.
  public static let longestWait: Duration = .seconds(60 * 86_400)

  /// The longest wait that this policy, or the server of an attempt, can ask for.
  public var longestWait: Duration {
    max((delays.max() ?? .zero) * (1 + jitter), Verdict.retryAfterLimits.upperBound)
  }
}
