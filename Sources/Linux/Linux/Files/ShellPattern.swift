import CLinux
import Glibc

/// A shell pattern (`*`, `?`, `[a-z]`, `\`) for fnmatch(3). Names are matched byte by byte; ASCII letters match in either case.
public struct ShellPattern: Hashable, Sendable {
  /// The pattern as it was written.
  public let text: String
  private let bytes: [UInt8]

  /// Creates a pattern. Any text is valid; a bracket that is not closed matches itself.
  public init(_ text: String) {
    self.text = text
    self.bytes = Array(text.utf8)
  }

  /// Returns true if the pattern matches the whole name; `*` matches a leading dot too.
  public func matches(_ name: [UInt8]) -> Bool {
    unsafe withName(bytes) { pattern in unsafe withName(name) { unsafe fnmatch(pattern, $0, clinux_any_case) == 0 } }
  }
}
