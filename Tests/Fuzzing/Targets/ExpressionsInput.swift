import PCRE2

/// An expression for names is refused in words, or gives parts of a name; whatever both are, the match ends.
///
/// An input is the expression and the name, with a NUL between them.
enum ExpressionsInput {
  static func take(_ bytes: [UInt8]) {
    let parts = bytes.split(separator: 0, maxSplits: 1, omittingEmptySubsequences: false).map(Array.init)
    let name = parts.count > 1 ? parts[1] : Array("2026_invoice.pdf".utf8)
    let expression: NameExpression
    do {
      expression = try NameExpression(String(decoding: parts[0], as: UTF8.self))
    } catch {
      return promise(!error.words.isEmpty, "a refusal without words")
    }
    guard case .yes(let captures) = expression.match(name) else { return }
    for (part, value) in captures {
      promise(expression.captures.contains(part), "the part \(part), which the expression does not name")
      promise(value.utf8.count <= name.count, "a part of \(value.utf8.count) bytes of a name of \(name.count)")
    }
  }
}
