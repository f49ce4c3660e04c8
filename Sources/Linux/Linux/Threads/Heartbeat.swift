import Synchronization

/// Shows whether a part of the program still makes progress.
public final class Heartbeat: Sendable {
  private let isAwaited = Atomic(false)

  /// A heartbeat that was not asked for yet.
  public init() {}

  /// Records that the part has made progress.
  public func beat() { isAwaited.store(false, ordering: .releasing) }

  /// Returns true if the part has made progress since the last call, or this is the first call; then asks it again to call ``beat()``.
  public func hasCome(asking ask: () -> Void) -> Bool {
    guard !isAwaited.load(ordering: .acquiring) else { return false }
    isAwaited.store(true, ordering: .releasing)
    ask()
    return true
  }
}
