/// The parts of the operating system that decide when something happens, and by chance: clocks, timers, threads, random numbers.
///
/// A program that takes them from here alone is a function of its machine. ``system`` is the machine that the program runs on. A
/// simulation makes one from a ``World``, in which all happens on one thread, in virtual time, in an order of its choice.
public final class Machine: Sendable {
  /// The machine that the program runs on.
  public static let system = Machine()

  /// The world of a simulation; nil for the real one.
  public let world: (any World)?
  /// The difference between the steady clock and the one of the kernel that it counts on.
  private let offset: Int64

  private init() {
    world = nil
    offset = Clocks.wall() - Clocks.boottime()
  }

  /// A machine in a world of its own.
  public init(in world: any World) {
    self.world = world
    offset = 0
  }

  /// Microseconds since the Unix epoch. It jumps when the clock is set; for display and records.
  public func wall() -> Int64 { world?.wall ?? Clocks.wall() }

  /// Microseconds on a steady clock and goes on in a suspend (CLOCK_BOOTTIME). It starts out as the wall's time.
  public func steady() -> Int64 { world?.steady ?? Clocks.boottime() + offset }

  /// The moment on the steady clock.
  public var now: ContinuousClock.Instant { world?.now ?? .now }

  /// A generator of random numbers.
  public var random: Chance { Chance(world: world) }

  /// A place for tasks that prefer no thread; nil for the pool of the Swift runtime.
  public var tasks: (any TaskExecutor)? { world?.tasks }

  /// Waits for so long. Throws `CancellationError` as soon as the task is cancelled.
  public func sleep(for pause: Duration) async throws {
    guard let world else { return try await Task.sleep(for: pause) }
    try await world.sleep(for: pause)
  }

  /// Waits until a moment. Throws `CancellationError` as soon as the task is cancelled.
  public func sleep(until moment: ContinuousClock.Instant) async throws { try await sleep(for: moment - now) }

  /// Random numbers of the system or of a simulation.
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

/// A stand-in for the operating system: one thread, a clock of its own, and an order of its choice among what could happen next.
public protocol World: AnyObject, Sendable {
  /// Microseconds since the Unix epoch, by a clock that may jump.
  var wall: Int64 { get }
  /// The same by a steady clock.
  var steady: Int64 { get }
  /// ``steady`` as a moment.
  var now: ContinuousClock.Instant { get }
  /// The place of tasks that prefer no thread.
  var tasks: any TaskExecutor { get }
  /// A random number.
  func random() -> UInt64
  /// A line of work: what is in it happens in order. The lines take turns in an order that the world chooses.
  func makeLine(_ name: String) -> WorldLine
  /// Has a body run as soon as its line's turn comes; nil for a body without a line.
  func run(in line: WorldLine?, _ body: @escaping @Sendable () -> Void)
  /// Runs now what waits in a line.
  func drain(_ line: WorldLine)
  /// Has a body run in a line after a pause. The timer can be stopped until then.
  func run(in line: WorldLine?, after pause: Duration, _ body: @escaping @Sendable () -> Void) -> WorldTimer
  /// Stops a timer. One that has rung, or that is unknown, is left as it is.
  func stop(_ timer: WorldTimer)
  /// Has a body run in a line whenever the descriptor can be read, or has urgent news; nil for no more.
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

/// A descriptor that somebody in a ``World`` waits for.
public struct WorldSource: Hashable, Sendable {
  /// The descriptor.
  public let descriptor: Int32
  /// True if it is waited for because of its urgent news (POLLPRI) alone.
  public let isUrgent: Bool

  /// A descriptor, and what of it is waited for.
  public init(_ descriptor: Int32, isUrgent: Bool = false) {
    self.descriptor = descriptor
    self.isUrgent = isUrgent
  }
}
