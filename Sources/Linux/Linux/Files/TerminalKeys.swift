import CLinux
import Glibc
import Messages
import Synchronization

/// A dialogue with a person at a terminal, who answers with single keys, and sometimes with a line.
///
/// Every exit must call ``restore()``, which restores the terminal's settings. That is why signals that end the process are
/// returned as an input. Keys that were typed before ``prepare()`` or a prompt are dropped, so that nobody answers a question
/// before it can be read. The calls block, and must come from one thread at a time.
public final class TerminalKeys: Sendable {
  /// An input from the person or the system.
  public enum Input: Hashable, Sendable {
    /// A key was pressed. Keys that send several bytes (arrows, letters beyond ASCII) are ignored.
    case key(Character)
    /// A line was entered; its bytes may not be UTF-8.
    case line([UInt8])
    /// The input was closed: by Ctrl-D, or because the terminal is gone.
    case end
    /// A signal that ends the process. Pass it to ``CaughtSignals/letThrough(_:)`` after ``restore()``.
    case signal(Int32)
    /// The process was stopped and continues: the screen may have other content.
    case resumed
    /// There was no input within the time limit.
    case nothing
  }

  private static let input = STDIN_FILENO
  private static let output = STDOUT_FILENO
  private let signals: CaughtSignals
  /// The terminal's original settings, and those that it has now.
  private struct Mode: Sendable {
    /// The form in which input comes.
    enum Form {
      /// As it was found: lines, which are shown while they are typed.
      case usual
      case keys
      /// Lines that are not shown.
      case hiddenLines
    }
    var usual: termios
    var form = Form.usual
  }
  private let mode: Mutex<Mode>

  /// True if standard input and standard output are both terminals.
  public static var isPossible: Bool { isatty(input) == 1 && isatty(output) == 1 }

  /// Reads the terminal's settings and changes nothing yet. Throws ENOTTY if there is no terminal.
  public init(signals: CaughtSignals) throws(FileError) {
    var usual = termios()
    guard unsafe tcgetattr(Self.input, &usual) == 0 else { throw FileError("ask", path: "the terminal", errno: errno) }
    self.signals = signals
    mode = Mutex(Mode(usual: usual))
  }

  /// Sets single-key mode and drops earlier keys, before a question is shown.
  public func prepare() throws(FileError) { try set(.keys, dropsEarlier: true) }

  /// Waits for a key within a time limit. After ``Input/nothing`` it may be called again.
  public func key(within limit: Duration) throws(FileError) -> Input {
    try set(.keys, dropsEarlier: false)
    switch wait(limit) {
    case .signal(let number): return try signalled(number)
    case .nothing: return .nothing
    default: break
    }
    let bytes = readSome(1)
    guard let byte = bytes.first, byte != 4 else { return .end }
    guard byte < 0x80, byte != 0x1B else {
      // The other bytes of such a key have arrived together with the first one.
      if wait(.zero) == .end { _ = readSome(64) }
      return .nothing
    }
    return .key(Character(Unicode.Scalar(byte)))
  }

  /// Waits for a line, which the person can edit while typing, and sees unless it is hidden. `prompt` is called when the terminal
  /// is ready.
  public func line(hidden: Bool = false, _ prompt: () -> Void) throws(FileError) -> Input {
    try set(hidden ? .hiddenLines : .usual, dropsEarlier: true)
    prompt()
    if case .signal(let number) = wait(nil) { return try signalled(number) }
    // A terminal returns at most 4096 bytes of a line (termios(3)).
    let bytes = readSome(4096)
    guard !bytes.isEmpty else { return .end }
    return .line(bytes.last == UInt8(ascii: "\n") ? bytes.dropLast() : bytes)
  }

  /// Writes to the terminal without a buffer.
  public func write(_ text: String) {
    var rest = Array(text.utf8)[...]
    while !rest.isEmpty {
      let written = unsafe rest.withUnsafeBytes { unsafe Glibc.write(Self.output, $0.baseAddress, $0.count) }
      if written < 0, errno == EINTR { continue }
      // If the terminal is gone, the next read reports it.
      guard written > 0 else { return }
      rest = rest.dropFirst(written)
    }
  }

  /// Restores the terminal's original settings.
  public func restore() {
    mode.withLock { mode in
      guard mode.form != .usual else { return }
      mode.form = .usual
      _ = unsafe tcsetattr(Self.input, TCSADRAIN, &mode.usual)
    }
  }

  /// Lets a signal that stops the process through at once, with the terminal restored; returns any other signal to the caller.
  private func signalled(_ number: Int32) throws(FileError) -> Input {
    guard number == SIGTSTP else { return .signal(number) }
    restore()
    signals.letThrough(number)
    return .resumed
  }

  private func set(_ form: Mode.Form, dropsEarlier: Bool) throws(FileError) {
    let error: Int32 = mode.withLock { mode in
      var result: Int32 = 0
      if mode.form != form {
        switch form {
        case .keys: result = unsafe clinux_terminal_keys(Self.input, &mode.usual)
        case .usual: result = unsafe tcsetattr(Self.input, TCSAFLUSH, &mode.usual)
        case .hiddenLines:
          var hidden = mode.usual
          hidden.c_lflag &= ~tcflag_t(ECHO)
          // The end of the line is shown, so that what follows begins on a line of its own.
          hidden.c_lflag |= tcflag_t(ECHONL)
          result = unsafe tcsetattr(Self.input, TCSAFLUSH, &hidden)
        }
      } else if dropsEarlier {
        result = tcflush(Self.input, TCIFLUSH)
      }
      guard result == 0 else { return errno }
      mode.form = form
      return 0
    }
    // EIO means that the terminal is gone; the read that follows reports it.
    guard error == 0 || error == EIO else { throw FileError("set", path: "the terminal", errno: error) }
  }

  /// Waits for input (for which `end` is returned here), a signal, or the end of the time limit.
  private func wait(_ limit: Duration?) -> Input {
    let end = limit.map { ContinuousClock.now + $0 }
    while true {
      var sources = [
        pollfd(fd: Self.input, events: Int16(POLLIN), revents: 0),
        pollfd(fd: signals.descriptor.number, events: Int16(POLLIN), revents: 0),
      ]
      let left = end.map { max(.zero, $0 - .now) }
      let milliseconds = left.map {
        Int32(clamping: $0.milliseconds +| 1)
      }
      let ready = unsafe poll(&sources, 2, milliseconds ?? -1)
      if let number = signals.next() { return .signal(number) }
      if ready > 0, sources[0].revents != 0 { return .end }
      if let left, left <= .zero { return .nothing }
    }
  }

  private func readSome(_ count: Int) -> [UInt8] {
    unsafe [UInt8](unsafeUninitializedCapacity: count) { buffer, filled in
      while true {
        let got = unsafe read(Self.input, buffer.baseAddress, buffer.count)
        if got < 0, errno == EINTR { continue }
        filled = max(0, got)
        return
      }
    }
  }
}
