import CLinux
import Glibc
import Synchronization
import SystemCalls

/// The file systems that are mounted: a descriptor that has something urgent to say (POLLPRI) whenever one is mounted or
/// unmounted (proc_pid_mountinfo(5)). What was said once is not said again.
public final class MountTable: Sendable {
  /// To be given to ``PollThread/poll(urgent:)``.
  public let descriptor: Descriptor

  /// Opens the table of the process's own mount namespace. Throws where there is no /proc.
  public init() throws(FileError) {
    let path = Array("/proc/self/mountinfo".utf8)
    descriptor = try Descriptor(
      at: AT_FDCWD, path, flags: O_RDONLY, as: "open", shown: PathText("/proc/self/mountinfo", []))
  }
}

/// The mount that was looked up last, and whether systemd made it for this service: the root of a mount never changes, and each
/// archived file asks.
private let lastMount = Mutex<(number: UInt64, isOfServiceAlone: Bool)?>(nil)

extension Directory {
  /// True if it is in a `/tmp` or `/var/tmp` that systemd made for this service alone (systemd.exec(5), `PrivateTmp=`). By its path
  /// everybody else finds another directory, and it goes with the service. False if that cannot be known.
  public var isOfServiceAlone: Bool {
    var number: UInt64 = 0
    let result = SystemCall.statx.made(on: descriptor.number) { unsafe clinux_mount(descriptor.number, &number) }
    guard result == 0 else { return false }
    if let last = lastMount.withLock({ $0 }), last.number == number { return last.isOfServiceAlone }
    let table: [UInt8]
    do throws(FileError) {
      table = try readSmallFile(path: "/proc/self/mountinfo", limit: 16 << 20)
    } catch {
      return false
    }
    // The fields of a line are: number, parent, device, root of the mount within its file system, …
    let lines = table.split(separator: UInt8(ascii: "\n"))
    let line = lines.first { $0.starts(with: Array("\(number) ".utf8)) } ?? []
    let fields = line.split(separator: UInt8(ascii: " "), maxSplits: 4)
    let isIt = fields.count > 3 && String(decoding: fields[3], as: UTF8.self).contains("/systemd-private-")
    lastMount.withLock { $0 = (number, isIt) }
    return isIt
  }
}
