/// The time, as a parameter: code that needs the time is given a clock and never asks the system.
public struct Clock: Sendable {
  /// Returns the wall-clock time; it jumps when somebody sets the machine's clock.
  public var now: @Sendable () -> Timestamp
  /// Returns the time of the steady clock, which measures waits. It continues during a suspend and never jumps; it starts at ``now``.
  public var steady: @Sendable () -> Timestamp

  package init(now: @escaping @Sendable () -> Timestamp, steady: @escaping @Sendable () -> Timestamp) {
    self.now = now
    self.steady = steady
  }
}
