import Synchronization

/// Whether a part of the program has come by since it was last asked to.
public final class Heartbeat: Sendable {
  private let isAwaited = Atomic(false)

  /// One that nobody waits for.
  public init() {}

  /// Waits for the part from now on.
  public func ask() { isAwaited.store(true, ordering: .releasing) }

  /// The part has come by.
  public func beat() { isAwaited.store(false, ordering: .releasing) }

  /// Whether nothing is waited for.
  public var hasCome: Bool { !isAwaited.load(ordering: .acquiring) }
}
