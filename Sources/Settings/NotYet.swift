/// What the contract has and this version has not: refused with a plain word, never ignored. A line goes when its
/// feature comes.
enum NotYet {
  /// The kinds of sections.
  enum Kind { case daemon }

  private struct Line {
    let kind: Kind
    let key: String
    /// The values that are refused.
    let refuses: @Sendable (Node.Value) -> Bool
    /// What may stand there, or nil where the key must be left out.
    let only: String?
  }

  private static let lines: [Line] = [
    Line(kind: .daemon, key: "metrics", refuses: otherText(""), only: "\"\"")
  ]

  static func words(_ only: String?) -> String {
    "not available yet in this version: " + (only.map { "only \($0)" } ?? "leave it out")
  }

  /// Refuses each key of the section that asks for what is not there yet.
  static func check(_ section: inout Section, of kind: Kind) {
    for line in lines where line.kind == kind {
      guard let node = section.table[line.key], line.refuses(node.value) else { continue }
      section.refuse(line.key, words(line.only))
    }
  }

  private static func otherText(_ text: String) -> @Sendable (Node.Value) -> Bool {
    { if case .string(text) = $0 { false } else { true } }
  }
}
