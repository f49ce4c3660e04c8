import CSystemd
import Glibc
import Linux
import Synchronization

/// Signals as a sequence.
///
/// A handler writes each signal into a pipe, which a separate thread reads. Waiting with blocked signals (`sigwait`) does not
/// work here: an `async` main runs on a thread of the pool, so it cannot block signals in the main thread, where they would then
/// have their default effect.
public enum Signals {
  /// Makes a write to a closed pipe or socket fail with EPIPE instead of ending the process.
  public static func ignoreBrokenPipes() { signal(SIGPIPE, SIG_IGN) }

  /// Returns a sequence of these signals, from this moment on, whichever thread receives them.
  ///
  /// The sequence ends when its reader's task is cancelled or it is released; then the signals have their default effect again.
  /// Only one sequence can exist at a time.
  /// - Throws: ``SystemdError`` if there is one already, or no pipe or thread is available.
  public static func stream(_ signals: [Int32]) throws(SystemdError) -> AsyncStream<Int32> {
    let isFree = taken.withLock { taken -> Bool in
      defer { taken = true }
      return !taken
    }
    guard isFree else {
      throw SystemdError("sigaction", "signals", code: EBUSY, words: "signals are already being read")
    }
    do throws(SystemdError) {
      return try open(signals)
    } catch {
      taken.withLock { $0 = false }
      throw error
    }
  }

  private static let taken = Mutex(false)

  /// The end mark, which is no signal, because signals are numbered from 1.
  private static let end: UInt8 = 0

  private static func open(_ signals: [Int32]) throws(SystemdError) -> AsyncStream<Int32> {
    let (reading, writing) = try pipe()
    let (stream, continuation) = AsyncStream.makeStream(of: Int32.self, bufferingPolicy: .bufferingNewest(64))
    do throws(SystemdError) {
      try SystemdError.wrapping { () throws(ThreadError) in
        try Thread.start("signals") {
          while let number = next(reading) { continuation.yield(number) }
          // The write end stays open, because a handler may be about to write to it.
          close(reading)
          taken.withLock { $0 = false }
        }
      }
    } catch {
      close(reading)
      close(writing)
      throw error
    }
    continuation.onTermination = { _ in
      for number in signals { signal(number, SIG_DFL) }
      send(end, writing)
    }
    for number in signals {
      guard waybill_catch_signal(number, writing) == 0 else {
        let error = SystemdError("sigaction", "signal \(number)", code: errno)
        continuation.finish()
        throw error
      }
    }
    return stream
  }

  private static func pipe() throws(SystemdError) -> (reading: Int32, writing: Int32) {
    var ends: InlineArray<2, Int32> = [-1, -1]
    var span = ends.mutableSpan
    let result = unsafe span.withUnsafeMutableBufferPointer { unsafe Glibc.pipe($0.baseAddress) }
    guard result == 0 else { throw SystemdError("pipe", "signals", code: errno) }
    for descriptor in [ends[0], ends[1]] { _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC) }
    _ = fcntl(ends[1], F_SETFL, O_NONBLOCK)
    return (ends[0], ends[1])
  }

  private static func send(_ byte: UInt8, _ descriptor: Int32) {
    var byte = byte
    _ = unsafe write(descriptor, &byte, 1)
  }

  /// Returns the next signal; nil at the end.
  private static func next(_ descriptor: Int32) -> Int32? {
    var byte: UInt8 = 0
    while true {
      let count = unsafe read(descriptor, &byte, 1)
      if count == 1 { return byte == end ? nil : Int32(byte) }
      if count == 0 || errno != EINTR { return nil }
    }
  }
}
