/// A reason, reduced to the part that many jobs can share.
package struct ReasonText {
  /// Its first sentence or line.
  package let sentence: String
  /// The sentence with `…` for parts that probably belong to one job: quoted texts, and words with digits in them other than
  /// an HTTP status.
  package let pattern: String

  package init(_ words: String) {
    var sentence = words[...]
    if let line = sentence.firstIndex(where: \.isNewline) { sentence = sentence[..<line] }
    if let end = Self.endOfSentence(sentence) { sentence = sentence[..<end] }
    self.sentence = String(sentence)
    pattern = Self.pattern(sentence)
  }

  /// The first full stop with a space after it.
  private static func endOfSentence(_ text: Substring) -> Substring.Index? {
    var before: Character = " "
    for index in text.indices {
      if text[index] == " ", before == "." { return text.index(before: index) }
      before = text[index]
    }
    return nil
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
