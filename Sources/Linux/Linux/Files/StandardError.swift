import Glibc

/// Standard error as an output stream without a buffer.
public struct StandardError: TextOutputStream {
  /// The process's standard error.
  public init() {}

  /// Writes all of a text. Errors are ignored, because there is nowhere to report them.
  public mutating func write(_ text: String) {
    var rest = Array(text.utf8)[...]
    while !rest.isEmpty {
      let written = unsafe rest.withUnsafeBytes { unsafe Glibc.write(STDERR_FILENO, $0.baseAddress, $0.count) }
      if written < 0, errno == EINTR { continue }
      guard written > 0 else { return }
      rest = rest.dropFirst(written)
    }
  }
}
