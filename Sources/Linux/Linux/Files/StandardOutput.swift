import Glibc

/// Standard output without a buffer, so that text appears at once and the loss of the reader is noticed.
public struct StandardOutput {
  /// The process's standard output.
  public init() {}

  /// False once nobody reads the output: the other end of a pipe or socket is closed, or the terminal is gone.
  public var hasReader: Bool {
    // poll(2) always reports POLLERR and POLLHUP; a regular file has neither.
    var output = pollfd(fd: STDOUT_FILENO, events: 0, revents: 0)
    return unsafe poll(&output, 1, 0) <= 0
  }

  /// Writes all of a text.
  ///
  /// - Throws: ``FileError``, with EPIPE if the reader is gone and SIGPIPE is ignored.
  public func write(_ text: String) throws(FileError) { try write(Array(text.utf8)) }

  /// Writes all bytes, as ``write(_:)-(String)`` does.
  public func write(_ bytes: [UInt8]) throws(FileError) {
    var rest = bytes[...]
    while !rest.isEmpty {
      let written = unsafe rest.withUnsafeBytes { unsafe Glibc.write(STDOUT_FILENO, $0.baseAddress, $0.count) }
      if written < 0, errno == EINTR { continue }
      guard written > 0 else { throw FileError("write to", path: "standard output", errno: errno) }
      rest = rest.dropFirst(written)
    }
  }
}
