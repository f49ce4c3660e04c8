import ChildProcesses
import Jobs
import Testing

@testable import ObjectStorage

/// Names in keys: each name has a text, and no two have the same.
@Suite(.aside) struct NameTextTests {
  private static func text(_ name: [UInt8]) -> [UInt8] {
    var text: [UInt8] = []
    NameText.append(path: name[...], to: &text)
    return text
  }

  private static func text(_ name: String) -> String { String(decoding: text(Array(name.utf8)), as: UTF8.self) }

  /// Those of which an escape, an escaped escape, and bytes in and out of UTF-8 can be made.
  static let alphabets: [[UInt8]] = [
    Array("%25FC".utf8) + [0xFC],
    Array("%C3B".utf8) + [0xC3, 0xBC],
    Array("%2f/8".utf8) + [0x80, 0xE2],
  ]

  @Test(arguments: alphabets) func shortNamesHaveUniqueTexts(alphabet: [UInt8]) {
    var seen: [[UInt8]: [UInt8]] = [:]
    var names: [[UInt8]] = [[]]
    var unchanged = 0
    for length in 0...6 {
      if length > 0 { names = names.flatMap { name in alphabet.map { name + [$0] } } }
      for name in names {
        let text = Self.text(name)
        let isUTF8 = text.span.isUTF8
        #expect(isUTF8, "\(name)")
        if text == name { unchanged += 1 }
        if let other = seen.updateValue(name, forKey: text) { Issue.record("\(name) and \(other) are both \(text)") }
      }
    }
    #expect(unchanged > 1000)
  }

  @Test(arguments: [
    "scan 1.pdf", "Grüße 日本 🧾", "100%", "50% off", "my%20file.pdf", "Gr%C3%BC%C3%9Fe.pdf", "100%25.pdf", "%", "%%25",
    "a%fcb", "a%FC%", "a%FC%20b", "%2F", "a/b%/c",
  ]) func ordinaryNameIsUnchanged(name: String) {
    #expect(Self.text(name) == name)
  }

  @Test func escapesInvalidUTF8AndLookalikes() {
    let table: [([UInt8], String)] = [
      (Array("M".utf8) + [0xFC] + Array("ller".utf8), "M%FCller"), (Array("M%FCller".utf8), "M%25FCller"),
      (Array("M%25FCller".utf8), "M%2525FCller"), ([0xFC] + Array("%41".utf8), "%FC%2541"),
      (Array("%FC%41".utf8), "%FC%41"), ([0xED, 0xA0, 0x80], "%ED%A0%80"),
      ([0x61, 0xFF, 0x2E, 0xC3, 0x28], "a%FF.%C3("),
      (Array("a%FC/b".utf8) + [0xFC], "a%25FC/b%FC"),
    ]
    for (name, text) in table { #expect(String(decoding: Self.text(name), as: UTF8.self) == text) }
  }
}
