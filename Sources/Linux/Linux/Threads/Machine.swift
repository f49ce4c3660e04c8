public import Seams

/// The parts of the operating system that determine time, order and chance. ``system`` is the real machine. A simulation makes a machine
/// from a ``World``, in which everything happens on one thread, in virtual time, in an order that the world chooses.
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
