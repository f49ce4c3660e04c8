import ChildProcesses
import Foundation
import Testing

/// The texts in the sources that reach people.
@Suite struct LiteralTests {
  /// Words in the source have no code: they would stay English in each language, and programs would have no name for them.
  @Test func sourcesHaveNoWordsWithoutCode() throws {
    let literal = /(?:\bMessage|[^\w)\]])\.text\(\s*"((?:[^"\\]|\\.)*)"/
    let value = /\\\((?:[^()]|\([^()]*\))*\)/
    let root = Products.source("Sources")
    for file in try FileManager.default.subpathsOfDirectory(atPath: root) where file.hasSuffix(".swift") {
      let text = try String(contentsOfFile: "\(root)/\(file)", encoding: .utf8)
      guard text.contains(".text(") else { continue }
      for match in text.matches(of: literal) {
        let words = match.output.1.replacing(value, with: "")
        #expect(!words.contains { $0.isLetter }, "\(file): \(match.output.1)")
      }
    }
  }
}
