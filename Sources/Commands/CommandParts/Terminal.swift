import FoundationEssentials
import Glibc
import Linux

package struct Terminal {
  /// The number of characters that fit in a line; nil if there is no terminal, and so no limit.
  package var columns: Int?
  /// True if colours are wanted (https://no-color.org).
  package var hasColour: Bool
  /// True if the cursor can be moved, so that lines can be drawn again.
  package var canMove: Bool

  package static let standardOutput = Terminal(of: STDOUT_FILENO)
  package static let standardError = Terminal(of: STDERR_FILENO)

  private init(of number: Int32) {
    self.init(
      isTerminal: isatty(number) == 1, columns: TerminalSize.columns(number),
      environment: ProcessInfo.processInfo.environment)
  }

  package static var canAsk: Bool { isatty(STDIN_FILENO) == 1 && isatty(STDERR_FILENO) == 1 }

  package init(isTerminal: Bool, columns: Int?, environment: [String: String]) {
    self.columns = isTerminal ? columns ?? 80 : nil
    canMove = isTerminal && environment["TERM", default: "dumb"] != "dumb"
    hasColour = isTerminal && environment["NO_COLOR", default: ""].isEmpty && environment["TERM"] != "dumb"
  }

  package func styled(_ text: String, _ style: Style) -> String {
    guard hasColour, let code = style.code else { return text }
    return "\u{1B}[\(code)m\(text)\u{1B}[0m"
  }

  package func lines(_ text: String, _ style: Style = .plain, indent: Int = 0) -> [String] {
    Folded.lines(text, width: columns, indent: indent).map { styled($0, style) }
  }

  /// The meaning that a text shows by its colour.
  package enum Style {
    case plain, heading, good, attention, bad, faint

    fileprivate var code: String? {
      switch self {
      case .plain: nil
      case .heading: "1"
      case .good: "32"
      case .attention: "33"
      case .bad: "31"
      case .faint: "2"
      }
    }
  }
}
