/// The escapes of TOML's basic strings (TOML 1.0, String).
enum TOMLEscapes {
  private static let short: [Character: Character] = [
    "b": "\u{8}", "t": "\t", "n": "\n", "f": "\u{C}", "r": "\r", "\"": "\"", "\\": "\\",
  ]

  static func resolve(_ text: String) -> String {
    guard text.contains("\\") else { return text }
    var out = ""
    var rest = text[...]
    while let character = rest.popFirst() {
      guard character == "\\", let kind = rest.popFirst() else {
        out.append(character)
        continue
      }
      let digits = kind == "u" ? 4 : kind == "U" ? 8 : 0
      if digits > 0, let scalar = UInt32(rest.prefix(digits), radix: 16).flatMap(Unicode.Scalar.init) {
        out.unicodeScalars.append(scalar)
        rest = rest.dropFirst(digits)
      } else {
        out.append(short[kind] ?? kind)
      }
    }
    return out
  }
}
