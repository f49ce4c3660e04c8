import CLinux
import Glibc

/// The signals that ask the process to end, or to stop for a while, noted so that it can tidy up before it does.
///
/// One per process. A signal that was ignored when the process began stays ignored.
public final class CaughtSignals: Sendable {
  /// Readable while a signal has been noted that nobody took.
  let descriptor: Descriptor

  /// Starts to note signals: those that end, and with `stops` SIGTSTP too.
  public init(stops: Bool = false) throws(FileError) {
    let signals = [SIGINT, SIGTERM, SIGHUP, SIGQUIT] + (stops ? [SIGTSTP] : [])
    let number = unsafe clinux_catch_signals(signals, signals.count)
    guard number != -1 else { throw FileError("catch", path: "signals", errno: errno) }
    descriptor = Descriptor(taking: number)
  }

  /// Takes the next signal that was noted; nil if there is none.
  public func next() -> Int32? {
    var number: UInt8 = 0
    return unsafe read(descriptor.number, &number, 1) == 1 ? Int32(number) : nil
  }

  /// Lets a signal do what it usually does: so a shell sees how the process ended. Returns only after a stop.
  public func letThrough(_ signal: Int32) {
    // SIGTSTP stays caught: the stop that cannot be caught does the same.
    clinux_end_by_signal(signal == SIGTSTP ? SIGSTOP : signal)
  }
}
