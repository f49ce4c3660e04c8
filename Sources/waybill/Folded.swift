/// Text in lines that fit a terminal.
enum Folded {
  /// Breaks a text at its spaces; what follows the first line is indented. A word that is too long keeps its line.
  static func lines(_ text: String, width: Int?, indent: Int = 0) -> [String] {
    guard let width, TextWidth.of(text) > width else { return [text] }
    var lines: [String] = []
    // Spaces at the beginning are the line's own.
    var line = String(text.prefix { $0 == " " })
    var isEmpty = true
    for word in text.split(separator: " ") {
      if !isEmpty, TextWidth.of(line) + 1 + TextWidth.of(String(word)) > width {
        lines.append(line)
        line = String(repeating: " ", count: indent)
        isEmpty = true
      }
      line += (isEmpty ? "" : " ") + word
      isEmpty = false
    }
    return lines + [line]
  }
}
