import Synchronization

/// Whether a part of the program has come by since it was last asked to.
public final class Heartbeat: Sendable {
  private let isAwaited = Atomic(false)

  /// One that nobody waits for.
  public init() {}

  /// The part has come by.
  public func beat() { isAwaited.store(false, ordering: .releasing) }

  /// Whether the part has come by since it was last asked, or never was; asks it anew if so.
  ///
  /// - Parameter ask: has the part call ``beat()``.
  public func hasCome(asking ask: () -> Void) -> Bool {
    guard !isAwaited.load(ordering: .acquiring) else { return false }
    isAwaited.store(true, ordering: .releasing)
    ask()
    return true
  }
}
