import Glibc
import Synchronization

/// One end of a stream that is a child's standard input. Closed with its value.
///
/// It is a pair of sockets and no pipe, as a write to a socket whose reader is gone can be told not to raise SIGPIPE.
final class InputEnd: Sendable {
  private let descriptor: Mutex<Int32?>

  private init(_ descriptor: Int32) { self.descriptor = Mutex(descriptor) }

  deinit { close() }

  /// Makes a stream: the test's end, and the child's. No child inherits either by itself.
  static func pair() throws(Missing) -> (ours: InputEnd, theirs: InputEnd) {
    var descriptors: [Int32] = [-1, -1]
    let kind = Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue)
    guard unsafe socketpair(AF_UNIX, kind, 0, &descriptors) == 0 else {
      throw Missing("no sockets for an input: error \(errno)")
    }
    return (InputEnd(descriptors[0]), InputEnd(descriptors[1]))
  }

  func withDescriptor<Result>(_ body: (Int32) throws -> Result) throws -> Result {
    try descriptor.withLock { descriptor in
      guard let descriptor else { throw Missing("the input is closed") }
      return try body(descriptor)
    }
  }

  func write(_ text: String) throws {
    let bytes = Array(text.utf8)
    try withDescriptor { descriptor in
      let flags = Int32(MSG_NOSIGNAL) | Int32(MSG_DONTWAIT)
      let count = unsafe send(descriptor, bytes, bytes.count, flags)
      guard count == bytes.count else { throw Missing("\(count) of \(bytes.count) bytes were read: error \(errno)") }
    }
  }

  func close() {
    descriptor.withLock { descriptor in
      if let open = descriptor { _ = Glibc.close(open) }
      descriptor = nil
    }
  }
}
