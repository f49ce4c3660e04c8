import Foundation
import Testing

@testable import Delivery

@Suite struct JSONReaderTests {
  @Test(arguments: [
    (#"{}"#, [:]), (" \n\t{ } \r\n", [:]),
    (
      #"{"a":"b","n":-0.50e+3,"t":true,"f":false,"z":null,"l":[1,{"a":2}],"o":{"a":{}}}"#,
      ["a": "b", "n": "-0.50e+3", "t": "true", "f": "false"]
    ),
    (#"{"\u00e4\ud83d\uddc2\/\"\\\b\f\n\r\t":"\u0000"}"#, ["ä🗂/\"\\\u{8}\u{c}\n\r\t": "\0"]),
    (#"{"id":"S-1","waybill-id":"forged","Waybill-x":"y","":"nameless"}"#, ["id": "S-1"]),
    ("{\"a\u{308}\":1,\"\u{e4}\":2}", ["a\u{308}": "1"].merging(["\u{e4}": "2"]) { $1 }),
  ])
  func theScalarMembersOfAnObjectAreTexts(text: String, members: [String: String]) throws {
    #expect(try SidecarText.members(ofJSON: Array(text.utf8)) == members)
  }

  @Test(arguments: [
    "", " ", "{", "}", "[]", "1", "\"a\"", "null", "{}{}", "{} x", "{\"a\"}", "{\"a\":}", "{\"a\":1,}", "{,}", "{a:1}",
    "{'a':1}", "{\"a\":01}", "{\"a\":1.}", "{\"a\":.5}", "{\"a\":+1}", "{\"a\":1e}", "{\"a\":--1}", "{\"a\":0x1}",
    "{\"a\":NaN}", "{\"a\":tru}", "{\"a\":[1,]}", "{\"a\":[}", "{\"a\":\"\n\"}", "{\"a\":\"\\x\"}", "{\"a\":\"\\u12\"}",
    "{\"a\":\"\\u+123\"}", "{\"a\":\"\\ud800\"}", "{\"a\":\"\\ud800\\u0041\"}", "{\"a\":\"\\udc00\"}", "{\"a\":\"",
    "{\"a\":1,\"a\":2}", "{\"o\":{\"a\":1,\"\\u0061\":2}}", "// c\n{}", "{\"a\":1 \"b\":2}",
  ])
  func whateverElseIsAFaultWithItsPlace(text: String) {
    #expect { try SidecarText.members(ofJSON: Array(text.utf8)) } throws: { error in
      (error as? SidecarText.Fault)?.words.contains("(line ") == true
    }
  }

  @Test func nestingIsBounded() throws {
    func nested(_ depth: Int) -> [UInt8] {
      Array(("{\"a\":" + String(repeating: "[", count: depth) + String(repeating: "]", count: depth) + "}").utf8)
    }
    #expect(try SidecarText.members(ofJSON: nested(JSONReader.deepest - 1)) == [:])
    #expect(throws: SidecarText.Fault.self) { try SidecarText.members(ofJSON: nested(JSONReader.deepest)) }
    #expect(throws: SidecarText.Fault.self) { try SidecarText.members(ofJSON: nested(30_000)) }
  }

  @Test func aByteOrderMarkIsNoPartOfTheText() throws {
    #expect(try SidecarText.text([0xEF, 0xBB, 0xBF, 0x61]) == "a")
    for bytes: [UInt8] in [[0xFF, 0xFE, 0x61, 0], [0x61, 0xE4], [0xC0, 0x80], [0xED, 0xA0, 0x80]] {
      #expect(throws: SidecarText.Fault.self) { try SidecarText.text(bytes) }
    }
  }

  /// Every text of up to five of these pieces: what this reader takes, Foundation's takes too and reads the same; what
  /// Foundation's refuses, this one refuses.
  @Test func itAgreesWithAReaderThatOthersWrote() throws {
    let pieces = ["{", "}", "[", "]", "\"a\"", "\"b\"", ":", ",", "1", "-", "null", " "]
    var taken = 0
    func walk(_ text: String, _ left: Int) throws {
      try compare(text, &taken)
      if left > 0 { for piece in pieces { try walk(text + piece, left - 1) } }
    }
    for start in ["{", "{\"a\":", "{\"a\":1,\"b\":[", "{\"a\":{\"b\":"] { try walk(start, 4) }
    #expect(taken > 100)
  }

  private func compare(_ text: String, _ taken: inout Int) throws {
    let theirs = try? JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: Any]
    guard let ours = try? SidecarText.members(ofJSON: Array(text.utf8)) else { return }
    taken += 1
    let scalars = theirs?.compactMapValues { value -> String? in
      switch value {
      case let text as String: text
      case let number as NSNumber: "\(number)"
      default: nil
      }
    }
    #expect(scalars == ours, "\(text)")
  }
}
