import Glibc
import Messages

/// The memory that this process may use.
public enum MemoryBound {
  /// Returns the bytes of the machine's memory, or the limit that systemd or a container sets for the process's control groups
  /// (`memory.max`, `memory.high`: cgroups(7), kernel documentation "Control Group v2"), if that is lower; nil if nothing can be
  /// read.
  public static func bytes() -> Int64? {
    let pages = Int64(sysconf(Int32(_SC_PHYS_PAGES)))
    let machine = pages > 0 ? pages *| Int64(sysconf(Int32(_SC_PAGESIZE))) : nil
    return bytes(machine: machine, membership: "/proc/self/cgroup", root: "/sys/fs/cgroup")
  }

  /// The same with other directories, for tests.
  static func bytes(machine: Int64?, membership: String, root: String) -> Int64? {
    var least = machine
    // Ignored: a file that cannot be read sets no bound.
    guard let bytes = try? readSmallFile(path: membership, limit: 64 << 10) else { return least }
    let lines = String(decoding: bytes, as: UTF8.self).split(separator: "\n")
    guard let line = lines.first(where: { $0.hasPrefix("0::/") }) else { return least }
    var path = root + line.dropFirst(3)
    while path.utf8.count >= root.utf8.count {
      for name in ["memory.max", "memory.high"] {
        // Ignored, as above: it sets no bound.
        guard let bytes = try? readSmallFile(path: "\(path)/\(name)", limit: 64) else { continue }
        // "max" is not a number: there is no limit.
        guard let limit = Int64(String(decoding: bytes, as: UTF8.self).filter { !$0.isWhitespace }) else { continue }
        least = min(least ?? limit, limit)
      }
      guard let slash = path.lastIndex(of: "/") else { break }
      path = String(path[..<slash])
    }
    return least
  }
}
