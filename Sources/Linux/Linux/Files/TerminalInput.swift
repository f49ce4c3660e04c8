import CLinux
import Glibc

/// Lines that a person types at the terminal.
public enum TerminalInput {
  /// True if standard input and standard output are both terminals.
  public static var isThere: Bool { isatty(STDIN_FILENO) == 1 && isatty(STDOUT_FILENO) == 1 }

  /// Shows a prompt and returns the line that answers it, which the terminal does not show if it is hidden; nil at the end of the input.
  /// Input that was typed before the prompt is dropped, so that nobody answers a question before it can be read. It blocks the thread.
  public static func line(_ prompt: String, isHidden: Bool = false) -> String? {
    // A terminal returns at most 4096 bytes of a line (termios(3)).
    let bytes = unsafe [UInt8](unsafeUninitializedCapacity: 4096) { buffer, filled in
      filled = unsafe max(0, clinux_ask(prompt, isHidden ? 1 : 0, buffer.baseAddress, buffer.count))
    }
    guard let last = bytes.last else { return nil }
    return String(decoding: last == UInt8(ascii: "\n") ? bytes.dropLast() : bytes[...], as: UTF8.self)
  }
}
