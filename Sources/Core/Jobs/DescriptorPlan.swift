/// The division of the file descriptors that the process may have (RLIMIT_NOFILE), so that no use runs out.
public struct DescriptorPlan: Hashable, Sendable {
  /// The number of descriptors.
  public let all: Int

  /// Divides this number of descriptors.
  public init(_ all: Int) { self.all = max(0, all) }

  /// The descriptors for everything else than attempts: the ledger, spools, keys, notices, and callers.
  private var others: Int { min(512, all / 4) }

  /// The most attempts at once. Each has a connection and a file.
  public var slots: Int { max(1, (all - others) / 2) }

  /// The most connections of callers at each listener.
  public var callers: Int { max(8, all / 16) }
}
