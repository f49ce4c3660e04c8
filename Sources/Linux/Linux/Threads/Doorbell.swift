import CLinux
import Glibc

/// An eventfd(2): any thread rings it, and one thread that waits for its descriptor wakes up.
public final class Doorbell: Sendable {
  /// The descriptor that can be read while the bell rings.
  public let descriptor: Int32

  /// A bell that does not ring. Throws ``ThreadError`` with EMFILE or ENFILE at the limits of descriptors.
  public init() throws(ThreadError) {
    descriptor = clinux_eventfd()
    guard descriptor != -1 else { throw ThreadError("make", "an eventfd", code: errno) }
  }

  deinit { _ = close(descriptor) }

  /// Makes it ring.
  public func ring() {
    var one: UInt64 = 1
    // It fails only when the counter is at its limit, and then the bell rings already.
    _ = unsafe write(descriptor, &one, 8)
  }

  /// Makes it stop.
  public func silence() {
    var count: UInt64 = 0
    // It fails only when the bell does not ring.
    _ = unsafe read(descriptor, &count, 8)
  }
}
