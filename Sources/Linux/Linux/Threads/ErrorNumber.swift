import CLinux
import Glibc

/// An error number of the C library (errno(3)), with its name and meaning.
public struct ErrorNumber: Hashable, Sendable {
  /// The number.
  let code: Int32

  /// An error number, as a system call left it in `errno`.
  public init(_ code: Int32) { self.code = code }

  /// Its symbolic name, e.g. `EACCES`; `errno-4711` for a number without one.
  public var name: String {
    guard let name = unsafe clinux_errno_name(code) else { return "errno-\(code)" }
    return unsafe String(cString: name)
  }

  /// Its meaning in words, e.g. `Permission denied`.
  public var reason: String {
    // strerror's text may be in a buffer of the thread, so it is copied at once.
    guard let text = unsafe strerror(code) else { return "error \(code)" }
    return unsafe String(cString: text)
  }
}
