import CLinux
import Glibc

/// Catches signals, so that the process can clean up before it ends. There is one instance per process.
///
/// A handler writes each signal into a pipe. Waiting with blocked signals (sigwait(3)) does not work: an `async` main runs on a thread of
/// the pool, so it cannot block signals in the main thread, where they would then have their default effect.
public final class CaughtSignals: Sendable {
  private let descriptor: Descriptor

  /// Begins to catch these signals, whichever thread receives them; those that were ignored at the start (nohup(1)) only if `ignored`.
  /// Throws EMFILE or ENFILE at the limits of descriptors.
  public init(_ signals: [Int32], ignored: Bool) throws(FileError) {
    let number = unsafe clinux_catch_signals(signals, signals.count, ignored ? 1 : 0)
    guard number != -1 else { throw FileError("catch", path: "signals", errno: errno) }
    descriptor = Descriptor(taking: number)
  }

  /// Removes and returns the next caught signal; nil if there is none.
  public func next() -> Int32? {
    var number: UInt8 = 0
    return unsafe read(descriptor.number, &number, 1) == 1 ? Int32(number) : nil
  }

  /// Lets a signal have its default effect, so that a shell sees how the process ended.
  public func letThrough(_ signal: Int32) { clinux_end_by_signal(signal) }

  /// Returns the signals as a sequence without end. Throws at the limit of threads.
  public func stream() throws(FileError) -> AsyncStream<Int32> {
    let (stream, continuation) = AsyncStream.makeStream(of: Int32.self, bufferingPolicy: .bufferingNewest(64))
    try Thread.start("signals") { [self] in
      while true {
        var source = pollfd(fd: descriptor.number, events: Int16(POLLIN), revents: 0)
        _ = unsafe poll(&source, 1, -1)
        while let number = next() { continuation.yield(number) }
      }
    }
    return stream
  }
}
