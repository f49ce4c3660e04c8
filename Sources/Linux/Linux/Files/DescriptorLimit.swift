import Glibc
import Synchronization

/// The number of file descriptors that the process may have (RLIMIT_NOFILE).
public enum DescriptorLimit {
  /// The soft limit before ``raise()``; 0 if it was not raised.
  private static let before = Atomic(0)

  /// The present limit; 0 if it cannot be read.
  public static var current: Int { read().map { Int(clamping: $0.rlim_cur) } ?? 0 }

  /// The limit for programs that this one starts; nil if they may inherit its own. A program that uses select(2) fails with a descriptor
  /// above 1,023, and some close every descriptor that they may have.
  public static var ofPrograms: Int? {
    let before = before.load(ordering: .relaxed)
    return before > 0 ? before : nil
  }

  /// Raises the soft limit to the hard one, which is the one that counts: the soft limit is 1,024 only for programs that use select(2)
  /// (systemd, "File Descriptor Limits"). Call it once, before anything that depends on the limit.
  public static func raise() {
    guard var limit = read(), limit.rlim_cur < limit.rlim_max else { return }
    let soft = Int(clamping: limit.rlim_cur)
    limit.rlim_cur = limit.rlim_max
    // Ignored: the kernel always allows it, and if a sandbox does not, the process works within the limit that it has.
    if unsafe setrlimit(resource, &limit) == 0 { before.store(soft, ordering: .relaxed) }
  }

  private static var resource: __rlimit_resource_t { __rlimit_resource_t(RLIMIT_NOFILE.rawValue) }

  private static func read() -> rlimit? {
    var limit = rlimit()
    return unsafe getrlimit(resource, &limit) == 0 ? limit : nil
  }
}
