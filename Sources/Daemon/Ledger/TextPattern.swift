/// Patterns for SQLite's GLOB, in which case does not matter. GLOB distinguishes cases, so each letter is given in both.
enum TextPattern {
  /// Returns a pattern for names: a shell pattern as it is, or any name that contains a text without wildcards.
  static func name(_ text: String) -> String {
    text.contains { "*?[".contains($0) } ? shell(text) : "*" + literal(text) + "*"
  }

  /// Returns a pattern for texts that contain this one. In it, `…` stands for any text.
  static func words(_ text: String) -> String {
    "*"
      + text.split(separator: "…", omittingEmptySubsequences: false).map { literal(String($0)) }.joined(separator: "*")
      + "*"
  }

  /// Characters that stand for themselves.
  private static func literal(_ text: String) -> String {
    text.unicodeScalars.map { "*?[".unicodeScalars.contains($0) ? "[\($0)]" : cases($0, isInClass: false) }.joined()
  }

  /// A shell pattern, with its classes and wildcards.
  private static func shell(_ pattern: String) -> String {
    var result = ""
    var rest = pattern.unicodeScalars[...]
    while let scalar = rest.popFirst() {
      if scalar == "[", let end = end(of: rest) {
        result += "[" + characters(rest[..<end]) + "]"
        rest = rest[rest.index(after: end)...]
      } else if scalar == "[" {
        result += "[[]"
      } else if scalar == "*" || scalar == "?" {
        result.unicodeScalars.append(scalar)
      } else {
        result += cases(scalar, isInClass: false)
      }
    }
    return result
  }

  /// The place of the bracket that ends a class; the first character after `[` or `[^` is never it.
  private static func end(of text: Substring.UnicodeScalarView) -> Substring.UnicodeScalarView.Index? {
    var start = text.startIndex
    if start < text.endIndex, text[start] == "^" || text[start] == "!" { start = text.index(after: start) }
    guard start < text.endIndex else { return nil }
    return text[text.index(after: start)...].firstIndex(of: "]")
  }

  /// The characters of a class, in both cases; ranges stay ranges. The shell's `!` is GLOB's `^`.
  private static func characters(_ text: Substring.UnicodeScalarView) -> String {
    var rest = text
    var result = ""
    if let first = rest.first, first == "^" || first == "!" {
      result = "^"
      rest.removeFirst()
    }
    while let scalar = rest.popFirst() {
      guard rest.first == "-", rest.count > 1, let last = rest.dropFirst().first else {
        result += cases(scalar, isInClass: true)
        continue
      }
      rest = rest.dropFirst(2)
      result += "\(scalar)-\(last)"
      let lower = (single(scalar.properties.lowercaseMapping), single(last.properties.lowercaseMapping))
      let upper = (single(scalar.properties.uppercaseMapping), single(last.properties.uppercaseMapping))
      for case (let first?, let last?) in [lower, upper] where first <= last { result += "\(first)-\(last)" }
    }
    return result
  }

  /// A character in both cases, as a class or for one.
  private static func cases(_ scalar: Unicode.Scalar, isInClass: Bool) -> String {
    let lower = single(scalar.properties.lowercaseMapping) ?? scalar
    let upper = single(scalar.properties.uppercaseMapping) ?? scalar
    if lower == upper { return String(scalar) }
    return isInClass ? "\(lower)\(upper)" : "[\(lower)\(upper)]"
  }

  /// The only character of a mapping; nil for those that map to several, such as `ß`.
  private static func single(_ text: String) -> Unicode.Scalar? {
    text.unicodeScalars.count == 1 ? text.unicodeScalars.first : nil
  }
}
