import Glibc
import Linux
import Messages

/// The kernel's figures about this process (proc(5)).
package struct ProcessFigures: Sendable {
  /// The processor time of all its threads, in user and in system mode.
  package let processorTime: Duration
  /// The number of bytes in memory.
  package let residentBytes: Int64

  /// Reads the figures; nil if /proc is not there, or not as expected.
  package init?() {
    guard let bytes = try? readSmallFile(path: "/proc/self/stat", limit: 4096) else { return nil }
    self.init(stat: String(decoding: bytes, as: UTF8.self))
  }

  init?(stat: String, pageSize: Int = Int(sysconf(Int32(_SC_PAGESIZE)))) {
    // The second field is the program's name, which may contain anything: the fields are counted from its end.
    guard let end = stat.lastIndex(of: ")") else { return nil }
    let fields = stat[end...].split(separator: " ")
    guard fields.count > 22, let user = Int64(fields[12]), let system = Int64(fields[13]),
      let pages = Int64(fields[22])
    else { return nil }
    // USER_HZ is 100 on every Linux that Swift runs on.
    processorTime = .milliseconds((user +| system) *| 10)
    residentBytes = pages *| Int64(pageSize)
  }
}
