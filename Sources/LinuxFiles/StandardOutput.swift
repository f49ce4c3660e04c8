import Glibc

/// Standard output without a buffer: what is written is there at once, and a reader that has gone is noticed.
public struct StandardOutput {
  /// The process's standard output.
  public init() {}

  /// Writes all of a text.
  ///
  /// - Throws: ``FileError``, with EPIPE where the reader has gone and SIGPIPE is ignored.
  public func write(_ text: String) throws(FileError) {
    var rest = Array(text.utf8)[...]
    while !rest.isEmpty {
      let written = unsafe rest.withUnsafeBytes { unsafe Glibc.write(STDOUT_FILENO, $0.baseAddress, $0.count) }
      if written < 0, errno == EINTR { continue }
      guard written > 0 else { throw FileError("write to", path: "standard output", errno: errno) }
      rest = rest.dropFirst(written)
    }
  }
}
