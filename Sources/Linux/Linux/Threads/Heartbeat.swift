import Synchronization

/// Shows if a part of the program still makes progress.
public final class Heartbeat: Sendable {
  private let isAwaited = Atomic(false)

  /// One that nobody waits for.
  public init() {}

  /// The part has made progress.
  public func beat() { isAwaited.store(false, ordering: .releasing) }

  /// Returns true if the part has made progress since the last call, or was never asked; then asks it again.
  ///
  /// - Parameter ask: has the part call ``beat()``.
  public func hasCome(asking ask: () -> Void) -> Bool {
    guard !isAwaited.load(ordering: .acquiring) else { return false }
    isAwaited.store(true, ordering: .releasing)
    ask()
    return true
  }
}
