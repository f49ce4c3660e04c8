/// The parts of the operating system that determine time, order and chance: clocks, timers, threads, random numbers.
///
/// A program that takes these only from here behaves as its machine decides. ``system`` is the real machine. A simulation makes a
/// machine from a ``World``, in which everything happens on one thread, in virtual time, in an order that the world chooses.
public final class Machine: Sendable {
  /// The real machine.
  public static let system = Machine()

  /// The world of a simulation; nil for the real one.
  public let world: (any World)?
  /// The difference between the steady clock and CLOCK_BOOTTIME.
  private let offset: Int64

  private init() {
    world = nil
    offset = Clocks.wall() - Clocks.boottime()
  }

  /// A machine in a simulated world.
  public init(in world: any World) {
    self.world = world
    offset = 0
  }

  /// Microseconds since the Unix epoch. It jumps when the clock is set. For display and records.
  public func wall() -> Int64 { world?.wall ?? Clocks.wall() }

  /// Microseconds on a steady clock that continues during a suspend (CLOCK_BOOTTIME). It begins at the wall-clock time.
  public func steady() -> Int64 { world?.steady ?? Clocks.boottime() + offset }

  /// The current time of the steady clock.
  public var now: ContinuousClock.Instant { world?.now ?? .now }

  /// A generator of random numbers.
  public var random: Chance { Chance(world: world) }

  /// The executor for tasks that prefer no thread; nil for the pool of the Swift runtime.
  public var tasks: (any TaskExecutor)? { world?.tasks }

  /// Waits for this duration. Throws `CancellationError` as soon as the task is cancelled.
  public func sleep(for pause: Duration) async throws {
    guard let world else { return try await Task.sleep(for: pause) }
    try await world.sleep(for: pause)
  }

  /// Waits until this time. Throws `CancellationError` as soon as the task is cancelled.
  public func sleep(until moment: ContinuousClock.Instant) async throws { try await sleep(for: moment - now) }

  /// Random numbers, from the system or from a simulation.
  public struct Chance: RandomNumberGenerator, Sendable {
    fileprivate let world: (any World)?

    /// The next number.
    public mutating func next() -> UInt64 {
      if let world { return world.random() }
      var system = SystemRandomNumberGenerator()
      return system.next()
    }
  }
}

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
  /// Runs a body as soon as it is its line's turn; nil for a body without a line.
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

  /// A descriptor, and what of it is waited for.
  init(_ descriptor: Int32, isUrgent: Bool = false) {
    self.descriptor = descriptor
    self.isUrgent = isUrgent
  }
}
