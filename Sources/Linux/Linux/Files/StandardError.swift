import Glibc

/// Standard error as an output stream without a buffer.
public struct StandardError: TextOutputStream {
  /// The process's standard error.
  public init() {}

  /// Writes all of a text. Errors are ignored, because there is nowhere to report them.
  public mutating func write(_ text: String) { _ = writeAll(Array(text.utf8), to: STDERR_FILENO) }
}
