/// How a destination's failures are retried: `[retry]`, or the destination's own `retry`.
public struct RetryPolicy: Hashable, Sendable {
  /// What a 503 leads to.
  public enum OnUnavailable: String, Sendable {
    /// The job is aborted at once.
    case abort
    /// A 503 is treated like a 502.
    case retry
  }

  /// The pauses between tries: n delays are n automatic retries, then a question.
  public var delays: [Duration]
  /// The share of each delay by which chance lengthens or shortens it, 0 … 1.
  public var jitter: Double
  /// What a 503 leads to.
  public var unavailable: OnUnavailable

  /// A policy; without arguments the defaults of the configuration.
  public init(
    delays: [Duration] = [.seconds(1), .seconds(3), .seconds(5), .seconds(10)], jitter: Double = 0.1,
    unavailable: OnUnavailable = .abort
  ) {
    self.delays = delays
    self.jitter = jitter
    self.unavailable = unavailable
  }
}

/// How far a job has come in its destination's schedule since the last `confirm` or `retry`.
public struct RetrySchedule: Hashable, Sendable {
  /// How many of the policy's delays have been spent.
  public var spent: Int

  /// A schedule that starts anew, or goes on where the ledger says.
  public init(spent: Int = 0) { self.spent = spent }
}
