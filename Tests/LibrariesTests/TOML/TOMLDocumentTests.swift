import ChildProcesses
import Testing

@testable import TOML

@Suite(.aside) struct TOMLDocumentTests {
  private func read(_ text: String) throws -> [String: TOMLNode] { try TOMLDocument(Array(text.utf8)).root }

  @Test(arguments: [
    ("a = 1", TOMLNode.Value.integer(1)), ("a = -0x7F", nil), ("a = 0x7F", .integer(127)),
    ("a = 1_000", .integer(1000)), ("a = é", nil), ("a = 1 ü", nil),
    ("a = 9223372036854775807", .integer(.max)), ("a = 9223372036854775808", nil), ("a = 1.5", .float(1.5)),
    ("a = -inf", .float(-.infinity)), ("a = true", .boolean(true)), ("a = false", .boolean(false)),
    ("a = 'x\\'", .string("x\\")), ("a = \"\"", .string("")), ("a = \"\\u0000ü\"", .string("\u{0}ü")),
    ("a = \"\"\"\nx\\\n  y\"\"\"", .string("xy")), ("a = 2026-11-24", .date("2026-11-24")),
    ("a = 01:02:03.5", .date("01:02:03.5")), ("a = 2026-11-24 01:02:03Z", .date("2026-11-24T01:02:03Z")),
    ("a = []", .array([])), ("a = {}", .table([:])),
    (
      "a = [1,\n 'b', [{ c = 2 }]]",
      .array([
        TOMLNode(value: .integer(1), line: 1), TOMLNode(value: .string("b"), line: 2),
        TOMLNode(
          value: .array([TOMLNode(value: .table(["c": TOMLNode(value: .integer(2), line: 2)]), line: 2)]), line: 2),
      ])
    ),
  ]) func readsEveryKindOfValue(_ text: String, _ value: TOMLNode.Value?) throws {
    #expect((try? read(text))?["a"]?.value == value)
    if value == nil { #expect(throws: TOMLDocument.Fault.self) { _ = try read(text) } }
  }

  @Test func emptyDocumentIsValid() throws {
    #expect(try read("").isEmpty)
    #expect(try read("# nothing\n").isEmpty)
  }

  @Test(arguments: [
    ("a = 1\na = 2\n", 2, 5), ("\n\n[a\n", 3, 3), ("[a]\n[a]\n", 2, 1), ("a = \"x\n", 1, 7),
  ]) func faultHasLineAndColumn(_ text: String, _ line: Int, _ column: Int) throws {
    let fault = try #require(throws: TOMLDocument.Fault.self) { _ = try read(text) }
    #expect(fault.line == line)
    #expect(fault.column == column, "\(fault)")
  }

  @Test func nestingIsBounded() throws {
    let nested = { (depth: Int) in "a = " + String(repeating: "[", count: depth) + String(repeating: "]", count: depth)
    }
    #expect(throws: Never.self) { _ = try read(nested(50)) }
    #expect(throws: TOMLDocument.Fault.self) { _ = try read(nested(500)) }
    #expect(throws: TOMLDocument.Fault.self) { _ = try read(nested(100_000)) }
  }

  /// toml++ makes a table within a table of each part, and would run out of stack.
  @Test(arguments: ["K = 1", "a = { K = 1 }", "a = [1.5, { K = 1.5 }]", "[K]", "[[K]]"], ["a", "1", "'a'"])
  func keyPartsAreBounded(_ place: String, _ part: String) {
    let text = { (count: Int) in
      place.replacing("K", with: Array(repeating: part, count: count).joined(separator: "."))
    }
    #expect(throws: Never.self) { _ = try read(text(63)) }
    #expect(throws: TOMLDocument.Fault.self) { _ = try read(text(65)) }
    #expect(throws: TOMLDocument.Fault.self) { _ = try read(text(200_000)) }
  }
}
