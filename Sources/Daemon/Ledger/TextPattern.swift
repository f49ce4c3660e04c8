/// Patterns for SQLite's GLOB. Pattern and text are compared by `lower`, so the case of A to Z does not matter.
enum TextPattern {
  /// Returns a pattern for names: a shell pattern as it is, or any name that contains a text without wildcards.
  static func name(_ text: String) -> String {
    let hasWildcard = text.contains { "*?".contains($0) } || text.contains("[") && text.contains("]")
    // The shell's `!` is GLOB's `^`.
    return hasWildcard ? text.replacing("[!", with: "[^") : "*" + literal(text) + "*"
  }

  /// Returns a pattern for texts that contain this one. In it, `…` stands for any text.
  static func words(_ text: String) -> String { "*" + literal(text).replacing("…", with: "*") + "*" }

  /// Returns the text with each wildcard as a class of its own.
  private static func literal(_ text: String) -> String {
    text.unicodeScalars.map { "*?[".unicodeScalars.contains($0) ? "[\($0)]" : String($0) }.joined()
  }
}
