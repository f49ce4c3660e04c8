import CLinux
import Glibc
import Seams

/// The owner of a file descriptor, which closes it at the end of its life. The `path` that its methods take is for errors.
public struct Descriptor: ~Copyable, Sendable {
  /// The number for system calls. It is valid as long as the owner lives.
  public let number: Int32

  /// Takes over a descriptor that is open and that nobody else closes.
  init(taking number: Int32) { self.number = number }

  // The result of close is ignored: important data is fsynced before, and on Linux the descriptor is closed in any case.
  deinit { _ = close(number) }

  /// Opens a path relative to a directory (AT_FDCWD for the current one), with O_CLOEXEC.
  init(
    at directory: Int32, _ name: [UInt8], flags: Int32, mode: mode_t = 0, as operation: String, shown: PathText
  ) throws(FileError) {
    let opened = unsafe withName(name) { name in
      restarted {
        unsafe SystemCall.openat.made(on: directory, at: name) {
          unsafe clinux_openat(directory, name, flags | O_CLOEXEC, mode)
        }
      }
    }
    guard opened != -1 else { throw FileError(operation, shown, errno: errno) }
    self.init(taking: opened)
  }
}

/// Repeats a system call while a signal interrupts it.
@inline(__always)
func restarted<Answer: SignedInteger>(_ call: () -> Answer) -> Answer {
  while true {
    let answer = call()
    if answer != -1 || errno != EINTR { return answer }
  }
}
