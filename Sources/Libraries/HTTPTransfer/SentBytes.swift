import Synchronization

/// The number of file bytes that were sent, over all requests that use this counter. Any thread may read it.
public final class SentBytes: Sendable {
  private let count = Atomic<Int64>(0)

  /// A counter that begins at 0.
  public init() {}

  /// The number of bytes so far. It decreases if a request fails and its bytes must be sent again.
  public var value: Int64 { count.load(ordering: .relaxed) }

  /// Adds bytes; a negative number subtracts them.
  public func add(_ bytes: Int64) { count.add(bytes, ordering: .relaxed) }
}
