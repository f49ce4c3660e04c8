import ChildProcesses
import PCRE2
import Testing

@Suite struct NameExpressionTests {
  private func match(_ expression: String, _ name: String) throws -> [String: String]? {
    guard case .yes(let parts) = try NameExpression(expression).match(Array(name.utf8)) else { return nil }
    return parts
  }

  @Test func namedGroupsAreCaptured() throws {
    let expression = try NameExpression(#"(?<case>\d+)_(?<kind>[a-z]+)(-(?<page>\d+))?\.pdf"#)
    #expect(expression.captures == ["case", "kind", "page"])
    #expect(try match(expression.text, "2026_invoice-7.pdf") == ["case": "2026", "kind": "invoice", "page": "7"])
    #expect(try match(expression.text, "2026_invoice.pdf") == ["case": "2026", "kind": "invoice"])
    // A group in front of others that took no part, and one that took part with nothing.
    #expect(try match(#"(?:(?<a>x)|(?<b>y*))z"#, "z") == ["b": ""])
    #expect(try match(#"(?<name>.+)\.(?<end>.+)"#, "Größe.é") == ["name": "Größe", "end": "é"])
    // Two groups of one name are one part.
    #expect(try NameExpression(#"(?J)(?<a>\d)|(?<a>[x-z])"#).captures == ["a"])
    #expect(try match(#"(?J)(?<a>\d)|(?<a>[x-z])"#, "y") == ["a": "y"])
  }

  @Test(arguments: [
    ("a", "ab"), ("b", "ab"), ("a$", "a\n"), ("a", "a\n"), ("a|ab", "abc"), ("[a-z]+", "aB"), (#"\d"#, "\u{663}"),
  ])
  func wholeNameMustMatch(expression: String, name: String) throws {
    #expect(try NameExpression(expression).match(Array(name.utf8)) == .no)
  }

  /// The shorter branch fits first, and the longer one all of the name.
  @Test func laterBranchMayFitWhole() throws { #expect(try match("a|ab", "ab") == [:]) }

  @Test func namesThatAreNotUTF8NeverMatch() throws {
    let name: [UInt8] = Array("a_".utf8) + [0xFF] + Array(".pdf".utf8)
    for expression in [".*", #"a_.\.pdf"#, "a_", #"a_(?:.|\N|[^a]|(?s:.))+"#, ".*?", #"\w*\xff.*"#] {
      #expect(try NameExpression(expression).match(name) == .no)
    }
    #expect(try NameExpression(".*").match(Array("a_\u{FF}.pdf".utf8)) == .yes([:]))
    #expect(try NameExpression(#"(?<a>x\K.)"#).match(Array("xy".utf8)) == .yes(["a": "xy"]))
  }

  /// Expressions that a backtracking engine would work at for years.
  @Test(arguments: [
    #"^(a+)+$"#, #"(\w+\s?)+$"#, #"(a|a)*"#, #"(a|aa)+"#, #"(.*a){12}"#, #"(?<x>(a*)*)*[bc]"#,
  ])
  func hostilePatternsEndWithinTheLimit(expression: String) throws {
    let expression = try NameExpression(expression)
    let name = [UInt8](repeating: UInt8(ascii: "a"), count: 254) + [UInt8(ascii: "!")]
    #expect(expression.match(name) == .undecided)
  }

  /// A pattern may ask for other limits; it gets no higher ones.
  @Test func patternCannotRaiseTheLimit() throws {
    let name = [UInt8](repeating: UInt8(ascii: "a"), count: 30) + [UInt8(ascii: "!")]
    for limit in ["MATCH", "DEPTH", "HEAP"] {
      let expression = try NameExpression("(*LIMIT_\(limit)=4000000000)^(a+)+$")
      #expect(expression.match(name) == .undecided)
    }
    #expect(try NameExpression("(*LIMIT_MATCH=1)(a|b)*[cd]").match(name) == .undecided)
  }

  @Test(
    arguments: [
      ("(a", "missing closing parenthesis", 3), ("ä(?<n", "syntax error in subpattern name (missing terminator?)", 6),
      ("[z-a]", "range out of order in character class", 4), (#"a\C"#, #"using \C is disabled by the application"#, 4),
      (String(repeating: "a", count: 1025), "it is longer than 1024 bytes", nil),
      ((0...16).map { "(?<p\($0)>a)" }.joined(), "it names more than 16 parts", nil),
      (
        "(?<Case>a)",
        "it names a part Case: a name has lower-case letters, digits and _, and begins with a letter", nil
      ),
    ] as [(String, String, Int?)])
  func faultNamesItsColumn(text: String, words: String, position: Int?) {
    do throws(NameExpressionFault) {
      _ = try NameExpression(text)
      Issue.record("\(text) was taken")
    } catch {
      #expect(error.words == words && error.position == position, "\(error)")
    }
  }

  @Test func hugeRepeatsAreRefused() {
    #expect(throws: NameExpressionFault.self) { try NameExpression("((a{1,1000}){1,1000}){1,1000}") }
  }

  @Test func manyThreadsMatchAtOnce() async throws {
    let expression = try NameExpression(#"(?<number>\d+)-(?<word>[a-z]+)"#)
    await withTaskGroup(of: Bool.self) { group in
      for task in 0..<8 {
        group.addTask {
          (0..<500).allSatisfy { round in
            let (number, word) = ("\(task * 1000 + round)", round % 2 == 0 ? "even" : "odd")
            return expression.match(Array("\(number)-\(word)".utf8))
              == .yes(["number": number, "word": word])
          }
        }
      }
      for await isRight in group { #expect(isRight) }
    }
  }
}
