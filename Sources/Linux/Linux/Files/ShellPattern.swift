import CLinux
import Glibc

/// A shell pattern (`*`, `?`, `[a-z]`, `\`) for fnmatch(3). Names are matched byte by byte; ASCII letters match in either case.
public struct ShellPattern: Hashable, Sendable {
  /// The pattern as it was written.
  public let text: String
  private let bytes: [UInt8]
  /// The byte that names must end with, in either case; nil if the pattern ends with a special one.
  private let end: UInt8?

  /// Creates a pattern. Any text is valid; a bracket that is not closed matches itself.
  public init(_ text: String) {
    self.text = text
    self.bytes = Array(text.utf8)
    end = bytes.last.flatMap { "*?]\\".utf8.contains($0) ? nil : $0 }
  }

  /// Returns true if the pattern matches the whole name; `*` matches a leading dot too.
  public func matches(_ name: [UInt8]) -> Bool {
    // Most names differ here. The bit that tells the cases of a letter is left out.
    if let end, let last = name.last, end | 0x20 != last | 0x20 { return false }
    return unsafe withName(bytes) { pattern in
      unsafe withName(name) { unsafe fnmatch(pattern, $0, clinux_any_case) == 0 }
    }
  }
}
