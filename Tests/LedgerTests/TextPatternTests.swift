import ChildProcesses
import SQLite
import Testing

@testable import Ledger

/// Names and words that are looked for, in SQLite itself against what they mean.
struct TextPatternTests {
  private let database: Database

  init() throws { database = try Database(path: ":memory:") }

  private func matches(_ pattern: String, _ text: String) throws -> Bool {
    try database.value("SELECT lower(?) GLOB lower(?)", [text, pattern]) == Int64(1)
  }

  @Test(arguments: [
    ("scan", "Scan 17.PDF", true), ("SCAN", "my scan.pdf", true), ("scan", "scam.pdf", false), ("Ä", "Ärger.pdf", true),
    ("été", "L'été.pdf", true), ("ß", "straße.pdf", true), ("*.pdf", "A.PDF", true), ("*.pdf", "a.pdf.tmp", false),
    ("a?c", "AbC", true), ("a?c", "abbc", false), ("[a-c]x", "Bx", true), ("[A-C]x", "bx", true),
    ("[^a]x", "Ax", false),
    ("[!a]x", "bx", true), ("[]a]x", "]x", true), ("[]a]x", "Ax", true), ("[a", "x[A", true), ("[a", "[A", true),
    ("[a-]x", "-x", true), ("%_", "%_", true), ("%", "a", false), ("日本", "日本.pdf", true),
    ("\0other-9.pdf", "a.pdf", false), ("*\0", "a.pdf", false),
  ])
  func namesMatchPatternsOrParts(wanted: String, name: String, isFound: Bool) throws {
    #expect(try matches(TextPattern.name(wanted), name) == isFound)
  }

  @Test(arguments: [
    ("is taken", "Invoice number 17 IS TAKEN.", true),
    ("invoice number … is taken", "invoice number 17 is taken", true),
    ("… is taken", "it is taken", true), ("number...taken", "number 17 is taken", true),
    ("a*b", "xa*by", true), ("a*b", "xaby", false), ("a?b", "axb", false),
    ("[x]", "[X]", true), ("[x]", "x", false), ("number … is", "number", false),
    ("\0", "taken", false),
  ])
  func wordsMatchSubstrings(wanted: String, words: String, isFound: Bool) throws {
    #expect(try matches(TextPattern.words(wanted), words) == isFound)
  }

  /// Names at random against a matcher that knows only parts of texts.
  @Test func literalTextMatchesItself() throws {
    var random = Seeds.numbers()
    let letters = Array("aAbBzZ09 .-_äÄéßİıſ日\u{301}()!^]{}%'\"\\")
    for _ in 0..<2000 {
      let text = String(
        (0..<Int.random(in: 1...12, using: &random)).map { _ in letters.randomElement(using: &random)! })
      #expect(try matches(TextPattern.name(text), "x" + text + "y"), "\(text)")
      #expect(try matches(TextPattern.words(text), text), "\(text)")
    }
  }
}
