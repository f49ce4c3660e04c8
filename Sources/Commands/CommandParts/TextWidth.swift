/// The number of terminal columns that a text takes.
package enum TextWidth {
  package static func of(_ text: String) -> Int { text.reduce(0) { $0 + of($1) } }

  /// The text, or its beginning with `…` if it does not fit.
  package static func fit(_ text: String, _ columns: Int) -> String {
    guard of(text) > columns else { return text }
    guard columns > 0 else { return "" }
    var fitting = ""
    var width = 1
    for character in text {
      width += of(character)
      guard width <= columns else { break }
      fitting.append(character)
    }
    return fitting + "…"
  }

  /// The columns of one character: combining characters add nothing, wide East Asian characters and emoji take two.
  private static func of(_ character: Character) -> Int {
    guard let first = character.unicodeScalars.first else { return 0 }
    switch first.properties.generalCategory {
    case .nonspacingMark, .enclosingMark, .format: return 0
    default: break
    }
    if character.unicodeScalars.contains(where: { $0.value == 0xFE0F }) { return 2 }
    return isWide(first.value) ? 2 : 1
  }

  /// The wide blocks of Unicode Standard Annex 11, roughly.
  private static func isWide(_ value: UInt32) -> Bool {
    switch value {
    case 0x1100...0x115F, 0x2E80...0x303E, 0x3041...0x33FF, 0x3400...0x4DBF, 0x4E00...0x9FFF, 0xA000...0xA4CF,
      0xAC00...0xD7A3, 0xF900...0xFAFF, 0xFE30...0xFE6F, 0xFF00...0xFF60, 0xFFE0...0xFFE6, 0x1F1E6...0x1F1FF,
      0x1F300...0x1F64F, 0x1F680...0x1F6FF, 0x1F900...0x1FAFF, 0x20000...0x3FFFD:
      true
    default: false
    }
  }
}

package enum Folded {
  /// Breaks a text at its spaces and indents all lines except the first. A word that fits no line stays where it is.
  ///
  /// Several spaces in a row, which separate columns, stay if they do not end a line.
  package static func lines(_ text: String, width: Int?, indent: Int = 0) -> [String] {
    guard let width, TextWidth.of(text) > width else { return [text] }
    var lines: [String] = []
    var line = ""
    var rest = text[...]
    while !rest.isEmpty {
      let gap = rest.prefix { $0 == " " }
      rest = rest.dropFirst(gap.count)
      let word = rest.prefix { $0 != " " }
      rest = rest.dropFirst(word.count)
      let longer = line + gap + word
      let fitsBelow = indent + TextWidth.of(String(word)) <= width
      if TextWidth.of(longer) > width, fitsBelow, line.contains(where: { $0 != " " }) {
        lines.append(line)
        line = String(repeating: " ", count: indent) + word
      } else {
        line = longer
      }
    }
    return lines + [line]
  }
}
