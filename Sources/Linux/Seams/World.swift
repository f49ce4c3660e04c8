/// A replacement for the operating system: one thread, its own clock, and its own choice of what happens next.
public protocol World: AnyObject, Sendable {
  /// Microseconds since the Unix epoch, by a clock that may jump.
  var wall: Int64 { get }
  /// The same on a steady clock.
  var steady: Int64 { get }
  /// ``steady`` as an instant.
  var now: ContinuousClock.Instant { get }
  /// The executor for tasks that prefer no thread.
  var tasks: any TaskExecutor { get }
  /// A random number.
  func random() -> UInt64
  /// Creates a line of work: its bodies run in order. The world chooses the order in which the lines take turns.
  func makeLine(_ name: String) -> WorldLine
  /// Runs a body when its line's turn comes; nil for a body without a line.
  func run(in line: WorldLine?, _ body: @escaping @Sendable () -> Void)
  /// Runs everything that waits in a line, at once.
  func drain(_ line: WorldLine)
  /// Runs a body in a line after a pause. The timer can be stopped until then.
  func run(in line: WorldLine?, after pause: Duration, _ body: @escaping @Sendable () -> Void) -> WorldTimer
  /// Stops a timer. A timer that has fired, or is unknown, is ignored.
  func stop(_ timer: WorldTimer)
  /// Runs a body in a line whenever one of the descriptors is readable, or has urgent data; nil ends that.
  func watch(_ sources: [WorldSource], in line: WorldLine, _ body: (@Sendable () -> Void)?)
  /// Waits in virtual time. Throws `CancellationError` as soon as the task is cancelled.
  func sleep(for pause: Duration) async throws
}

/// A line of work in a ``World``.
public struct WorldLine: Hashable, Sendable {
  /// The number of the line in its world.
  public let number: Int

  /// The line with this number.
  public init(_ number: Int) { self.number = number }
}

/// A timer in a ``World``.
public struct WorldTimer: Hashable, Sendable {
  /// The number of the timer in its world.
  public let number: Int

  /// The timer with this number.
  public init(_ number: Int) { self.number = number }
}

/// A descriptor that a ``World`` watches.
public struct WorldSource: Hashable, Sendable {
  /// The descriptor.
  public let descriptor: Int32
  /// True to wait only for urgent data (POLLPRI).
  public let isUrgent: Bool

  /// A descriptor to watch.
  public init(_ descriptor: Int32, isUrgent: Bool = false) {
    self.descriptor = descriptor
    self.isUrgent = isUrgent
  }
}
