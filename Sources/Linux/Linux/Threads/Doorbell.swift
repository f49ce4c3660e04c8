import CLinux
import Glibc

/// An eventfd(2): any thread can signal it, and one thread that polls its descriptor wakes up.
public final class Doorbell: Sendable {
  /// The descriptor, which is readable while the bell rings.
  public let descriptor: Int32

  /// Creates a bell that does not ring. Throws ``FileError`` with EMFILE or ENFILE at the limits of descriptors.
  public init() throws(FileError) {
    descriptor = clinux_eventfd()
    guard descriptor != -1 else { throw FileError("make", path: "an eventfd", errno: errno) }
  }

  deinit { _ = close(descriptor) }

  /// Makes it ring.
  public func ring() {
    var one: UInt64 = 1
    // The write fails only if the counter is at its limit, and then the bell already rings.
    _ = unsafe write(descriptor, &one, 8)
  }

  /// Stops the ringing.
  public func silence() {
    var count: UInt64 = 0
    // The read fails only if the bell does not ring.
    _ = unsafe read(descriptor, &count, 8)
  }
}
