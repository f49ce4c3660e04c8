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
  /// - Throws: ``FileError``, with EPIPE if the reader is gone and SIGPIPE is ignored.
  public func write(_ text: String) throws(FileError) { try write(Array(text.utf8)) }

  /// Writes all bytes, as ``write(_:)-(String)`` does.
  public func write(_ bytes: [UInt8]) throws(FileError) {
    let code = writeAll(bytes, to: STDOUT_FILENO)
    guard code == 0 else { throw FileError("write to", path: "standard output", errno: code) }
  }

  /// Writes what `print` has kept back.
  /// - Throws: ``FileError``, e.g. for a full disk, which `print` does not report.
  public func flush() throws(FileError) {
    guard fflush(nil) == 0 else { throw FileError("write to", path: "standard output", errno: errno) }
  }
}

/// Writes all bytes to a descriptor; it blocks while nobody reads. Returns 0, or the errno.
public func writeAll(_ bytes: [UInt8], to descriptor: Int32) -> Int32 {
  var done = 0
  while done < bytes.count {
    let count = unsafe bytes.withUnsafeBytes {
      unsafe Glibc.write(descriptor, $0.baseAddress?.advanced(by: done), $0.count - done)
    }
    if count >= 0 {
      done += count
    } else if errno == EAGAIN {
      // Another user of the descriptor has made it non-blocking: wait here until it accepts more.
      var wanted = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
      unsafe poll(&wanted, 1, -1)
    } else if errno != EINTR {
      return errno
    }
  }
  return 0
}
