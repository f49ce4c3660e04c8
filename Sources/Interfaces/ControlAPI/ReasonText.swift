/// A reason, reduced to the part that many jobs can share.
package struct ReasonText {
  /// Its first sentence or line.
  package let sentence: String
  /// The sentence with `…` for parts that belong to one job: its names, quoted texts, and words with digits in them other than an HTTP
  /// status.
  package let pattern: String

  /// Creates the text of a reason.
  package init(_ words: String, names: [String] = []) {
    var sentence = words[...]
    if let line = sentence.firstIndex(where: \.isNewline) { sentence = sentence[..<line] }
    if let end = sentence.firstRange(of: ". ") { sentence = sentence[..<end.lowerBound] }
    self.sentence = String(sentence)
    pattern = Self.pattern(Self.without(names, sentence)[...])
  }

  /// The length from which on a name is looked for: a shorter one, such as `a`, is also a word or a part of one.
  private static let leastName = 3

  /// Returns the text with `…` for each whole occurrence of a name. One that is part of a longer word is left, and so is a name of
  /// digits alone, which may be an HTTP status.
  private static func without(_ names: [String], _ text: Substring) -> String {
    var text = String(text)
    for name in names where name.count >= leastName && name.contains(where: \.isLetter) {
      var from = text.startIndex
      while let place = text[from...].firstRange(of: name) {
        let neighbours = [text[..<place.lowerBound].last, text[place.upperBound...].first].compactMap(\.self)
        let isWhole = !neighbours.contains { $0.isLetter || $0.isNumber }
        let end = text.distance(from: text.startIndex, to: place.lowerBound) + (isWhole ? 1 : name.count)
        if isWhole { text.replaceSubrange(place, with: "…") }
        from = text.index(text.startIndex, offsetBy: end)
      }
    }
    return text
  }

  private static func pattern(_ text: Substring) -> String {
    var words: [String] = []
    var quote: Character?
    var isAfterHTTP = false
    for word in text.split(separator: " ", omittingEmptySubsequences: false) {
      if let open = quote {
        if word.contains(open) { quote = nil }
        continue
      }
      if let first = word.first, "\"'“‘«".contains(first) {
        let close: Character = ["“": "”", "‘": "’", "«": "»"][first] ?? first
        if !word.dropFirst().contains(close) { quote = close }
        words.append("…")
      } else if !isAfterHTTP, word.contains(where: \.isNumber) {
        if words.last != "…" { words.append("…") }
      } else {
        words.append(String(word))
      }
      isAfterHTTP = word == "HTTP"
    }
    return words.joined(separator: " ")
  }
}
