import CLinux
import Glibc

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
