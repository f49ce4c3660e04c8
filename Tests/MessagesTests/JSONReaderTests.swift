import ChildProcesses
import Foundation
import Testing

@testable import Messages

@Suite(.aside) struct JSONReaderTests {
  @Test func valuesAreReadAsTheyAreWritten() throws {
    let text =
      #" {"a":"b\u00e4\ud83d\uddc2\/\"\\\b\f\n\r\t","n":-0.50e+3,"t":true,"f":false,"z":null,"l":[1,{"a":[]}],"o":{}} "#
    let object = try JSONReader.object(Array(text.utf8))
    #expect(object.members.map(\.name) == ["a", "n", "t", "f", "z", "l", "o"])
    func member(_ name: String) throws -> JSONNode {
      var object = object
      return try object.member(name)
    }
    #expect(try member("a").text() == "bä🗂/\"\\\u{8}\u{c}\n\r\t")
    #expect(try member("n").double() == -500)
    guard case .number("-0.50e+3") = try member("n") else { throw JSONFault(words: "other digits") }
    #expect(try member("f").flag() == false && member("t").flag())
    for absent in ["z", "none"] { #expect(throws: JSONFault.self) { try member(absent) } }
    let list = try member("l").array()
    #expect(try list.count == 2 && list[0].integer() == 1 && list[1].object().members[0].value.array().isEmpty)
    #expect(try member("o").object().members.isEmpty)
  }

  @Test func membersAreFoundInAnyOrder() throws {
    var object = try JSONReader.object(Array(#"{"a":1,"b":2,"c":3,"z":null}"#.utf8))
    var found: [Int64?] = []
    for name in ["c", "a", "z", "b", "c", "none", "b", "b", "a"] { found.append(try object.optional(name)?.integer()) }
    #expect(found == [3, 1, nil, 2, 3, nil, 2, 2, 1])
  }

  @Test(arguments: ["1", "null", "true", "\"a\"", "[]", "{}", "1.5", "1e3", "9223372036854775808"])
  func anotherTypeIsAFault(text: String) throws {
    let value = try JSONReader.value(Array(text.utf8))
    let reads: [(String, () throws -> Void)] = [
      ("1 1.5 1e3 9223372036854775808", { _ = try value.double() }), ("1 1e3", { _ = try value.integer() }),
      ("true", { _ = try value.flag() }), ("\"a\"", { _ = try value.text() }), ("[]", { _ = try value.array() }),
      ("{}", { _ = try value.object() }),
    ]
    for (texts, read) in reads {
      let fits = texts.split(separator: " ").contains(Substring(text))
      #expect((try? read()) != nil || !fits, "\(text) of \(texts)")
      if !fits { #expect(throws: JSONFault.self) { try read() } }
    }
  }

  @Test(arguments: [
    "", "[]", "{}{}", "{} x", "{\"a\"}", "{\"a\":1,}", "{\"a\":01}", "{\"a\":tru}", "{\"a\":[}", "{\"a\":\"\n\"}",
    "{\"a\":\"\\x\"}", "{\"a\":\"\\ud800\"}", "{\"a\":\"", "{\"a\":1,\"a\":2}", "{\"o\":{\"a\":1,\"\\u0061\":2}}",
  ])
  func syntaxErrorsReportLine(text: String) {
    #expect { try JSONReader.object(Array(text.utf8)) } throws: { error in
      (error as? JSONFault)?.words.contains("(line ") == true
    }
  }

  /// What a text of JSON says: the top-level members as texts, in the order of their names' bytes; nil if it is refused.
  private typealias Meaning = [[String]]?

  private static func ours(_ bytes: [UInt8]) -> Meaning {
    guard let members = try? JSONReader.object(bytes).members else { return nil }
    return members.compactMap { member in
      switch member.value {
      case .text(let text), .number(let text): [member.name, text]
      case .flag(let flag): [member.name, "\(flag)"]
      case .null, .array, .object: nil
      }
    }.sorted { $0[0].utf8.lexicographicallyPrecedes($1[0].utf8) }
  }

  /// Python's json reads the same texts (`Tests/Support/json-members.py`).
  private func compare(_ texts: [[UInt8]], leastTaken: Int, leastRefused: Int) async throws {
    let folder = try TemporaryFolder()
    let lines = texts.map { Data($0).base64EncodedString() }.joined(separator: "\n")
    try lines.write(toFile: folder.file("texts"), atomically: false, encoding: .utf8)
    let output = try await Command.require([
      try await Products.python.value, Products.support("json-members.py"), folder.file("texts"),
      folder.file("meanings"),
    ])
    let theirs = try JSONDecoder().decode(
      [[[String]]?].self, from: Data(contentsOf: URL(filePath: folder.file("meanings"))))
    try #require(theirs.count == texts.count, "\(output)")
    var differences = 0
    for (text, theirs) in zip(texts, theirs) where Self.isDifferent(Self.ours(text), theirs) {
      differences += 1
      guard differences < 10 else { continue }
      let shown = String(decoding: text, as: UTF8.self)
      Issue.record("\(shown) is \(String(describing: Self.ours(text))) here, and there \(String(describing: theirs))")
    }
    #expect(differences == 0)
    let taken = theirs.count { $0 != nil }
    #expect(taken >= leastTaken && texts.count - taken >= leastRefused, "\(taken) of \(texts.count) are taken")
  }

  /// By bytes: Swift takes two ways to compose a letter for the same.
  private static func isDifferent(_ one: Meaning, _ other: Meaning) -> Bool {
    one.map { $0.map { $0.map { Array($0.utf8) } } } != other.map { $0.map { $0.map { Array($0.utf8) } } }
  }

  /// All sequences of up to `most` pieces, each between the two texts.
  private static func sequences(_ pieces: [String], upTo most: Int, _ before: String, _ after: String) -> [[UInt8]] {
    sequences(pieces.map { Array($0.utf8) }, upTo: most, before, after)
  }

  private static func sequences(
    _ pieces: [[UInt8]], upTo most: Int, _ before: String, _ after: String
  ) -> [[UInt8]] {
    var all: [[UInt8]] = [[]]
    var last: [[UInt8]] = [[]]
    for _ in 0..<most {
      last = last.flatMap { head in pieces.map { head + $0 } }
      all += last
    }
    return all.map { Array(before.utf8) + $0 + Array(after.utf8) }
  }

  @Test func structureMatchesReferenceParser() async throws {
    let pieces = ["{", "}", "[", "]", "\"a\"", "\"b\"", ":", ",", "1", "null", " "]
    var texts = Self.sequences(pieces, upTo: 4, "", "")
    for start in ["{", "{\"a\":", "{\"a\":1,\"b\":[", "{\"a\":{\"b\":"] {
      texts += Self.sequences(pieces, upTo: 4, start, "")
    }
    try await compare(texts, leastTaken: 100, leastRefused: 10_000)
  }

  @Test func numbersMatchReferenceParser() async throws {
    let texts = Self.sequences(["0", "7", "-", "+", ".", "e", "E"], upTo: 5, "{\"n\":", "}")
    let large = ["1e999", "-1e-999", String(repeating: "9", count: 400), "0." + String(repeating: "3", count: 400)]
    try await compare(
      texts + large.map { Array("{\"n\":\($0)}".utf8) }, leastTaken: 200, leastRefused: 10_000)
  }

  @Test func literalsMatchReferenceParser() async throws {
    let words = ["true", "false", "null", "NaN", "Infinity", "-Infinity", "undefined", "True", "nul", "nulll", "t", ""]
    var texts: [[UInt8]] = []
    for word in words {
      for end in ["", "}", ",\"b\":1}", "e}", " }", "\u{A0}}", "\u{0}}", "}\u{0}", "}\n", "}x"] {
        texts.append(Array("{\"a\":\(word)\(end)".utf8))
      }
    }
    try await compare(texts, leastTaken: 6, leastRefused: 50)
  }

  /// Escapes, surrogates in every order, control characters, and bytes that are no UTF-8: in values and in names.
  @Test func stringsMatchReferenceParser() async throws {
    let pieces: [[UInt8]] =
      [
        "a", "\\\"", "\\\\", "\\/", "\\b", "\\u0041", "\\u0000", "\\ud83d", "\\uDDC2", "\\u12", "\\x", "\\",
        "\u{1}", "\n", "\u{7F}", "\u{E4}", "\u{2028}", "\u{FEFF}", "\u{10FFFF}",
      ].map { Array($0.utf8) } + [
        [0xFF], [0xC0, 0x80], [0xED, 0xA0, 0x80], [0xF4, 0x90, 0x80, 0x80], [0xE2, 0x82], [0x80],
      ]
    try await compare(
      Self.sequences(pieces, upTo: 3, "{\"v\":\"", "\"}") + Self.sequences(pieces, upTo: 2, "{\"v", "\":1}"),
      leastTaken: 1000, leastRefused: 5000)
  }

  /// Every pair of names, side by side and one below the other.
  @Test func refusesDuplicateNamesAnywhere() async throws {
    let names = [
      "a", "\\u0061", "A", "\u{E4}", "a\u{308}", "\\u00e4", "", "waybill-id", "WAYBILL-X", "\u{1F5C2}",
      "\\ud83d\\uddc2",
    ]
    var texts: [[UInt8]] = []
    for one in names {
      for other in names {
        for form in [
          "{\"%1\":1,\"%2\":2}", "{\"%1\":{\"%2\":1}}", "{\"x\":{\"%1\":1,\"%2\":2}}",
          "{\"x\":[{\"%1\":1},{\"%2\":2}]}",
        ] { texts.append(Array(form.replacing("%1", with: one).replacing("%2", with: other).utf8)) }
      }
    }
    try await compare(texts, leastTaken: 200, leastRefused: 40)
  }

  @Test func depthLimitIgnoresNestingKind() async throws {
    var texts: [[UInt8]] = []
    for depth in Array(1...3) + Array(60...70) {
      for (open, close) in [("[", "]"), ("{\"b\":", "}"), ("[{\"b\":", "}]")] {
        let text = String(repeating: open, count: depth) + "1" + String(repeating: close, count: depth)
        texts.append(Array("{\"a\":\(text),\"z\":\"end\"}".utf8))
        texts.append(Array("{\"a\":\(text.dropLast()),\"z\":\"end\"}".utf8))
      }
    }
    try await compare(texts, leastTaken: 8, leastRefused: 30)
  }

  /// Other programs write what is not quite JSON: what is asked for is found all the same.
  @Test func answersOfOthersAreReadLeniently() throws {
    for answer in [
      "\u{FEFF}{\"ok\":true}", #"{"ok":true,"name":"a\udcff.pdf"}"#, #"{"name":"\ud800\u0041","ok":true}"#,
      #"{"ok":true,"ok":false}"#, #"{"name":"\ud83d","ok":true}"#,
    ] {
      #expect(throws: JSONFault.self, "\(answer)") { try JSONReader.object(Array(answer.utf8)) }
      var members = try JSONReader.answer(Array(answer.utf8)).object()
      #expect(try members.member("ok").flag(), "\(answer)")
    }
    var members = try JSONReader.answer(Array(#"{"ok":true,"name":""#.utf8) + [0xFF, 0x61] + Array(#""}"#.utf8))
      .object()
    #expect(try members.member("name").text() == "\u{FFFD}a")
    #expect(throws: JSONFault.self) { try JSONReader.answer(Array(#"{"ok":true}x"#.utf8)) }
  }
}
