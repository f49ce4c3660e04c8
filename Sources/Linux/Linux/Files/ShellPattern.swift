import CLinux
import Glibc

/// A pattern of the shell (`*`, `?`, `[a-z]`, `\`), as fnmatch(3) reads it. Names are matched byte by byte, letters
/// of ASCII in either case.
public struct ShellPattern: Hashable, Sendable {
  /// The pattern as it was written.
  public let text: String
  private let bytes: [UInt8]

  /// Wraps a pattern. Any text is one; a bracket that is not closed stands for itself.
  public init(_ text: String) {
    self.text = text
    self.bytes = Array(text.utf8)
  }

  /// Returns true if the pattern matches the whole name; `*` matches a leading dot too.
  public func matches(_ name: [UInt8]) -> Bool {
    unsafe withName(bytes) { pattern in unsafe withName(name) { unsafe fnmatch(pattern, $0, clinux_any_case) == 0 } }
  }
}
