/// Text in lines that fit a terminal.
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
