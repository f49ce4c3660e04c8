/// The entry of a code in the table: its words in both languages, with `{name}` or `{name:style}` for a value.
package struct MessageForm: Sendable {
  /// The way in which a value is shown.
  package enum Style: String, Sendable {
    case plain
    /// A message without the full stop at its end.
    case clause
    /// A span of time in seconds, e.g. `2.5 seconds`.
    case seconds
    /// A state or another name of the interface: with spaces in English, a word in Chinese.
    case word
    /// The name of a side or of a call on files, for which there is a word in Chinese, too.
    case name
    /// A step as a noun, and the same at the beginning of a sentence.
    case noun
    case capitalNoun = "Noun"
  }

  package enum Piece: Hashable, Sendable {
    case words(String)
    case value(String, Style)
  }

  package let code: String
  private let english: [Piece]
  private let chinese: [Piece]

  init(_ code: String, _ english: String, _ chinese: String) {
    self.code = code
    self.english = Self.pieces(english)
    self.chinese = Self.pieces(chinese)
  }

  func pieces(_ language: ReaderLanguage) -> [Piece] { language == .chinese ? chinese : english }

  private static func pieces(_ form: String) -> [Piece] {
    var pieces: [Piece] = []
    for (index, part) in form.split(separator: "{", omittingEmptySubsequences: false).enumerated() {
      guard index > 0, let end = part.firstIndex(of: "}") else {
        if !part.isEmpty { pieces.append(.words(String(part))) }
        continue
      }
      let place = part[..<end].split(separator: ":")
      let style = place.count > 1 ? Style(rawValue: String(place[1])) : nil
      pieces.append(.value(String(place.first ?? ""), style ?? .plain))
      let rest = part[part.index(after: end)...]
      if !rest.isEmpty { pieces.append(.words(String(rest))) }
    }
    return pieces
  }
}

package enum MessageTable {
  static let forms = Dictionary(uniqueKeysWithValues: all.map { ($0.code, $0) })
}
