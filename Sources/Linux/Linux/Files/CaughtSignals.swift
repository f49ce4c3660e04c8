import CLinux
import Glibc

/// Catches the signals that ask the process to end or to stop, so that it can clean up first.
///
/// There is one instance per process. A signal that was ignored when the process began stays ignored.
public final class CaughtSignals: Sendable {
  /// Readable while there is a caught signal that was not returned by ``next()``.
  let descriptor: Descriptor

  /// Begins to catch signals: those that end the process, and SIGTSTP too with `stops`.
  public init(stops: Bool = false) throws(FileError) {
    let signals = [SIGINT, SIGTERM, SIGHUP, SIGQUIT] + (stops ? [SIGTSTP] : [])
    let number = unsafe clinux_catch_signals(signals, signals.count)
    guard number != -1 else { throw FileError("catch", path: "signals", errno: errno) }
    descriptor = Descriptor(taking: number)
  }

  /// Removes and returns the next caught signal; nil if there is none.
  public func next() -> Int32? {
    var number: UInt8 = 0
    return unsafe read(descriptor.number, &number, 1) == 1 ? Int32(number) : nil
  }

  /// Lets a signal have its default effect, so that a shell sees how the process ended. It returns only after a stop.
  public func letThrough(_ signal: Int32) {
    // SIGTSTP stays caught; SIGSTOP has the same effect and cannot be caught.
    clinux_end_by_signal(signal == SIGTSTP ? SIGSTOP : signal)
  }
}
