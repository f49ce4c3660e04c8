/// The time, as a parameter: whoever needs it is given a clock and never asks the system.
public struct Clock: Sendable {
  /// The time that people see; it jumps when somebody sets the machine's clock.
  public var now: @Sendable () -> Timestamp
  /// The time that waits are reckoned on. It goes on through a suspend and never jumps; it starts out as ``now``.
  public var steady: @Sendable () -> Timestamp

  /// A clock of two readings.
  public init(now: @escaping @Sendable () -> Timestamp, steady: @escaping @Sendable () -> Timestamp) {
    self.now = now
    self.steady = steady
  }
}
