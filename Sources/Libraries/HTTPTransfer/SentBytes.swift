import Synchronization

/// The bytes of files that have been given to the network, over all requests that count here. Any thread may read it.
public final class SentBytes: Sendable {
  private let count = Atomic<Int64>(0)

  /// None yet.
  public init() {}

  /// The bytes so far. It falls where a request fails and its bytes have to be sent again.
  public var value: Int64 { count.load(ordering: .relaxed) }

  /// Counts bytes, or takes them back.
  public func add(_ bytes: Int64) { count.add(bytes, ordering: .relaxed) }
}
