/// Output that a terminal does not act on.
package enum TerminalSafe {
  /// Returns JSON with `\uHHHH` for characters that JSON allows but a terminal would act on: DEL, the second set of control
  /// characters, and marks that change the direction of writing. They can occur only in strings.
  package static func json(_ json: String) -> String {
    var safe = String.UnicodeScalarView()
    for scalar in json.unicodeScalars {
      // Most of it is ASCII; looking up the category of each character took a third of the time of a long list.
      if (0x20..<0x7F).contains(scalar.value) {
        safe.append(scalar)
        continue
      }
      switch scalar.properties.generalCategory {
      case .control, .format, .lineSeparator, .paragraphSeparator:
        for unit in UTF16.encode(scalar) ?? UTF16.encodedReplacementCharacter {
          let digits = String(unit, radix: 16)
          safe.append(contentsOf: ("\\u" + String(repeating: "0", count: 4 - digits.count) + digits).unicodeScalars)
        }
      default: safe.append(scalar)
      }
    }
    return String(safe)
  }
}
