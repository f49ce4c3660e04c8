import ChildProcesses
import Testing

@testable import Delivery

/// What a sidecar says, beyond what the reader of JSON has tests for.
@Suite struct SidecarTextTests {
  @Test(arguments: [
    (#"{}"#, [:]), (" \n\t{ } \r\n", [:]),
    (
      #"{"a":"b","n":-0.50e+3,"t":true,"f":false,"z":null,"l":[1,{"a":2}],"o":{"a":{}}}"#,
      ["a": "b", "n": "-0.50e+3", "t": "true", "f": "false"]
    ),
    (#"{"\u00e4\ud83d\uddc2\/\"\\\b\f\n\r\t":"\u0000"}"#, ["ä🗂/\"\\\u{8}\u{c}\n\r\t": "\0"]),
    (#"{"id":"S-1","waybill-id":"forged","Waybill-x":"y","":"nameless"}"#, ["id": "S-1"]),
  ])
  func scalarMembersBecomeText(text: String, members: [String: String]) throws {
    let found = try SidecarText.members(ofJSON: Array(text.utf8))
    #expect(Dictionary(found, uniquingKeysWith: { $1 }) == members)
  }

  /// The name may be anything, and is shown to people.
  @Test(arguments: ["{\"a\\n\\u202e\":1,\"a\\n\\u202e\":2}", "{\"a\":1,\"a\":2}", "[]", "{"])
  func faultsSayThePlace(text: String) {
    #expect { try SidecarText.members(ofJSON: Array(text.utf8)) } throws: { error in
      let words = (error as? SidecarText.Fault).map { "\($0.message)" } ?? ""
      return words.hasPrefix("is no JSON object that can be used: ") && words.contains("(line 1, column ")
        && !words.contains("\n") && !words.contains("\u{202E}")
    }
  }

  @Test func stripsByteOrderMark() throws {
    #expect(try SidecarText.text([0xEF, 0xBB, 0xBF, 0x61]) == "a")
    for bytes: [UInt8] in [[0xFF, 0xFE, 0x61, 0], [0x61, 0xE4], [0xC0, 0x80], [0xED, 0xA0, 0x80]] {
      #expect(throws: SidecarText.Fault.self) { try SidecarText.text(bytes) }
    }
  }
}
