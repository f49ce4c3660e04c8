import CLinux
import Glibc
import Synchronization

/// A person at a terminal who answers with single keys, and with a line now and then.
///
/// Every way out has to call ``restore()``, which restores the terminal's settings. That is why signals that end the
/// process come as an input. What was typed before ``prepare()`` or a prompt is dropped, so that nobody answers what
/// could not be read yet. The calls block, and come from one thread at a time.
public final class TerminalKeys: Sendable {
  /// An action of the person.
  public enum Input: Hashable, Sendable {
    /// Pressed a key. Keys that send several bytes (arrows, letters beyond ASCII) are left out.
    case key(Character)
    /// Ended a line; the bytes may be no UTF-8.
    case line([UInt8])
    /// Closed the input: Ctrl-D, or the terminal went away.
    case end
    /// A signal came that ends the process. It is to be handed to ``CaughtSignals/letThrough(_:)`` after ``restore()``.
    case signal(Int32)
    /// The process had been stopped and goes on: what was on the screen may be gone.
    case resumed
    /// Nothing, for as long as was asked.
    case nothing
  }

  private static let input = STDIN_FILENO
  private static let output = STDOUT_FILENO
  private let signals: CaughtSignals
  /// The terminal's first settings, and whether it gives single keys now. Plain values of C.
  private struct Mode: Sendable {
    var usual: termios
    var givesKeys = false
  }
  private let mode: Mutex<Mode>

  /// True if standard input and output both are a terminal.
  public static var isPossible: Bool { isatty(input) == 1 && isatty(output) == 1 }

  /// Takes note of how the terminal is set, and changes nothing yet. Throws ENOTTY where there is none.
  public init(signals: CaughtSignals) throws(FileError) {
    var usual = termios()
    guard unsafe tcgetattr(Self.input, &usual) == 0 else { throw FileError("ask", path: "the terminal", errno: errno) }
    self.signals = signals
    mode = Mutex(Mode(usual: usual))
  }

  /// Makes ready for a key, before a question is shown.
  public func prepare() throws(FileError) { try set(givesKeys: true, dropsEarlier: true) }

  /// Waits for a key, at most so long. A wait that ended with ``Input/nothing`` can be gone on with.
  public func key(within limit: Duration) throws(FileError) -> Input {
    try set(givesKeys: true, dropsEarlier: false)
    switch wait(limit) {
    case .signal(let number): return try signalled(number)
    case .nothing: return .nothing
    default: break
    }
    let bytes = readSome(1)
    guard let byte = bytes.first, byte != 4 else { return .end }
    guard byte < 0x80, byte != 0x1B else {
      // The rest of a key's bytes come with the first.
      if wait(.zero) == .end { _ = readSome(64) }
      return .nothing
    }
    return .key(Character(Unicode.Scalar(byte)))
  }

  /// Waits for a line, which the person sees and can mend while typing. `prompt` is called once the terminal is ready.
  public func line(_ prompt: () -> Void) throws(FileError) -> Input {
    try set(givesKeys: false, dropsEarlier: true)
    prompt()
    if case .signal(let number) = wait(nil) { return try signalled(number) }
    // A terminal hands over at most 4096 bytes of a line (termios(3)).
    let bytes = readSome(4096)
    guard !bytes.isEmpty else { return .end }
    return .line(bytes.last == UInt8(ascii: "\n") ? bytes.dropLast() : bytes)
  }

  /// Writes to the terminal at once.
  public func write(_ text: String) {
    var rest = Array(text.utf8)[...]
    while !rest.isEmpty {
      let written = unsafe rest.withUnsafeBytes { unsafe Glibc.write(Self.output, $0.baseAddress, $0.count) }
      if written < 0, errno == EINTR { continue }
      // A terminal that has gone away is met at the next reading.
      guard written > 0 else { return }
      rest = rest.dropFirst(written)
    }
  }

  /// Sets the terminal as it was at first.
  public func restore() {
    mode.withLock { mode in
      guard mode.givesKeys else { return }
      mode.givesKeys = false
      _ = unsafe tcsetattr(Self.input, TCSADRAIN, &mode.usual)
    }
  }

  /// A signal that stops is let through at once, with the terminal as it was; the others end all of it.
  private func signalled(_ number: Int32) throws(FileError) -> Input {
    guard number == SIGTSTP else { return .signal(number) }
    restore()
    signals.letThrough(number)
    return .resumed
  }

  private func set(givesKeys: Bool, dropsEarlier: Bool) throws(FileError) {
    let error: Int32 = mode.withLock { mode in
      var result: Int32 = 0
      if mode.givesKeys != givesKeys {
        result =
          givesKeys
          ? unsafe clinux_terminal_keys(Self.input, &mode.usual)
          : unsafe tcsetattr(Self.input, TCSAFLUSH, &mode.usual)
      } else if dropsEarlier {
        result = tcflush(Self.input, TCIFLUSH)
      }
      guard result == 0 else { return errno }
      mode.givesKeys = givesKeys
      return 0
    }
    // EIO: the terminal has gone away; the reading that follows says so.
    guard error == 0 || error == EIO else { throw FileError("set", path: "the terminal", errno: error) }
  }

  /// Waits for input (`end` stands for that here), a signal, or the time.
  private func wait(_ limit: Duration?) -> Input {
    let end = limit.map { ContinuousClock.now + $0 }
    while true {
      var sources = [
        pollfd(fd: Self.input, events: Int16(POLLIN), revents: 0),
        pollfd(fd: signals.descriptor.number, events: Int16(POLLIN), revents: 0),
      ]
      let left = end.map { max(.zero, $0 - .now) }
      let milliseconds = left.map {
        Int32(clamping: ($0.components.seconds * 1000) + $0.components.attoseconds / 1_000_000_000_000_000 + 1)
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
