import ChildProcesses
import Foundation
import Testing

@testable import Messages

/// All Chinese texts keep to Sources/Core/Messages/Table/chinese.md.
@Suite struct ChineseTests {
  struct Source: Sendable, CustomTestStringConvertible {
    let place: String
    let texts: [String]

    var testDescription: String { place }
  }

  private static func file(_ path: String) throws -> String {
    try String(contentsOfFile: Products.source(path), encoding: .utf8)
  }

  /// The page's words: English, then Chinese.
  private static func pageWords() throws -> [(english: String, chinese: String)] {
    try file("Sources/Interfaces/WebPages/Page/words.js").matches(of: /\["([^"]*)", "([^"]*)"\]/)
      .map { (String($0.1), String($0.2)) }
  }

  private static func sources() throws -> [Source] {
    let tables = MessageTable.all.map { form in
      // A value may be a word of either script, so it counts as neither.
      form.pieces(.chinese).map { if case .words(let words) = $0 { words } else { "\u{FFFC}" } }.joined()
    }
    let files = try ["systemd/waybill.zh_CN.catalog", "README.zh-CN.md"].map { path in
      Source(place: path, texts: try file(path).split(separator: "\n").map(String.init))
    }
    return [
      Source(place: "tables", texts: tables + Message.Value.chinese.values),
      Source(place: "page", texts: try pageWords().map { $0.chinese.replacing(/\{\d\}/, with: "\u{FFFC}") }),
    ] + files
  }

  @Test(arguments: try sources()) func wordsAreThoseOfGlossary(_ source: Source) throws {
    let glossary = try Self.file("Sources/Core/Messages/Table/chinese.md")
    let rows = glossary.matches(of: /(?m)^\| [a-z ,]+ \| (\S+) \| (\S+) \|$/)
    #expect(rows.count > 20)
    for text in source.texts where text.contains(/[\u{4E00}-\u{9FFF}]/) {
      let rest = rows.reduce(text) { $0.replacing($1.1, with: " ") }
      for row in rows {
        for word in row.2.split(separator: "、") { #expect(!rest.contains(word), "\(word) is \(row.1): \(text)") }
      }
    }
  }

  @Test(arguments: try sources()) func punctuationIsChinese(_ source: Source) {
    #expect(source.texts.contains { $0.contains(/[\u{4E00}-\u{9FFF}]/) })
    for text in source.texts {
      #expect(!text.contains(/[\u{4E00}-\u{9FFF}][,.;:!?()"]|[,.;:!?()"][\u{4E00}-\u{9FFF}]/), "half-width: \(text)")
      #expect(!text.contains(/[\u{4E00}-\u{9FFF}][A-Za-z0-9]|[A-Za-z0-9][\u{4E00}-\u{9FFF}]/), "no space: \(text)")
      #expect(!text.contains(/[，。：；？！（）“”、] | [，。：；？！（）“”、]/), "a space too many: \(text)")
    }
  }

  /// Those of the message tables and of the catalog are compared by `MessageTableTests` and `MessageCatalogTests`.
  @Test func pageHasSameValuesInBothLanguages() throws {
    let words = try Self.pageWords()
    #expect(words.count > 150)
    for (english, chinese) in words {
      let values = [english, chinese].map { Set($0.matches(of: /\{\d\}/).map(\.output)) }
      #expect(values[0] == values[1], "\(english)")
    }
  }
}
