import Foundation
import LoopbackPeer

extension HostileAnswer {
  private typealias Text = HostileText

  static let texts: [HostileAnswer] = [
    plain("text", Array(Text.evil.utf8)),
    plain("not-utf-8", Text.bytes(Text.evil, 0xFF, 0xC0, 0xAF, 0xED, 0xA0, 0x80)),
    plain("marks", Array(("a" + String(repeating: "\u{301}", count: 30_000)).utf8)),
    .init(
      "location", both(.asks("destination", 302)), status: 302, headers: ["Location: http://\(Text.evilHeader)/"],
      body: []),
    .init(
      "marks-of-success", [.storage: .asks("destination", 201), .backend: .registered], status: 201,
      headers: [
        "ETag: \"\(Text.evilHeader)\"", "x-amz-version-id: \(Text.evilHeader)", "Location: /\(Text.evilHeader)",
        "x-amz-bucket-region: \(Text.evilHeader)",
      ], body: Text.bytes(Text.evil, 0, 0xFF), type: "text/plain"),
    .init(
      "region", [.storage: .asks("destination", 301)], status: 301,
      headers: ["x-amz-bucket-region: \(Text.evilHeader)", "Location: \(Text.evilHeader)"], body: []),
    .init("header-not-utf-8", both(.asks("destination", 302)), bytes: headNotUTF8, .next),
  ]

  private static let headNotUTF8: [UInt8] = {
    let head = Text.bytes(
      "HTTP/1.1 302 \u{1B}[2J\r\nContent-Length: 0\r\nLocation: /", 0xFF, 0x9B, 0xC0, 0xAF, 0x1B, 0x5B, 0x32, 0x4A)
    return head + Text.bytes("\r\n\r\n")
  }()

  private static func plain(_ name: String, _ body: [UInt8]) -> HostileAnswer {
    .init(name, [.backend: .asks("rejected", 422)], status: 422, body: body, type: "text/plain")
  }

  static let JSONs: [HostileAnswer] = [
    json("problem", #"{"type":"x","title":"t","detail":"\#(Text.evilJSON)"}"#),
    json("error", #"{"error":"\#(Text.evilJSON)"}"#),
    json("error-code", #"{"error":{"code":"\#(Text.evilJSON)","message":"\#(Text.evilJSON)"}}"#),
    json("raw", #"{"error":"\#(Text.evil)"}"#),
    json("giant", #"{"error":"\#(String(repeating: "a", count: 3 << 20))"}"#),
    json("nested", String(repeating: "[", count: 60_000)),
    json("nested-errors", String(repeating: "{\"error\":", count: 7000)),
    json("twice", #"{"error":"one","error":"two","error":{"message":"three"}}"#),
    json("not-a-number", #"{"error":NaN,"message":Infinity,"detail":-0e}"#),
    json("numbers", #"{"error":1e999999,"message":-99999999999999999999999999999999,"detail":"d"}"#),
    json("long-number", #"{"error":0.\#(String(repeating: "1", count: 50_000))}"#),
    json("surrogates", #"{"error":"\ud800","message":"\udc00\ud800","detail":"\ud83d"}"#),
    json("cut", #"{"error":"tak"#),
    json("nothing", ""),
    .init("json-of-success", [.backend: .registered], status: 200, body: JSONOfSuccess),
  ]

  private static let JSONOfSuccess: [UInt8] = Text.bytes(
    #"{"id":1e999999,"location":"\#(Text.evilJSON)","x":"\ud800"}"#, 0, 0xFF)

  private static func json(_ name: String, _ body: String) -> HostileAnswer {
    .init("json-" + name, [.backend: .asks("rejected", 422)], status: 422, body: Array(body.utf8))
  }

  /// XML of a storage. What cannot be read says nothing, and the status decides.
  static let XMLs: [HostileAnswer] = [
    xml("laughs", laughs),
    xml("passwd", passwd),
    xml(
      "parameter-entity",
      "<!DOCTYPE Error [<!ENTITY % x SYSTEM \"file:///etc/passwd\"> %x;]><Error><Code>Evil</Code></Error>"),
    xml("external-subset", "<!DOCTYPE Error SYSTEM \"file:///etc/passwd\"><Error><Code>Evil</Code></Error>"),
    xml(
      "inclusion",
      "<Error xmlns:xi=\"http://www.w3.org/2001/XInclude\"><xi:include href=\"file:///etc/passwd\" parse=\"text\"/>"
        + "<Code>Evil</Code></Error>"),
    xml("other-letters", "<?xml version=\"1.0\" encoding=\"UTF-7\"?><Error>+ADw-?p?+AD4-<Code>Evil</Code></Error>"),
    xml("instruction", "<?xml version=\"1.0\"?><Error><?p?><Code>Evil</Code></Error>"),
    xml("nested", String(repeating: "<Error>", count: 9000)),
    xml("nested-and-closed", String(repeating: "<E>", count: 9000) + String(repeating: "</E>", count: 9000)),
    xml("attributes", "<Error" + (0..<6000).map { " a\($0)=\"\"" }.joined() + "><Code>Evil</Code></Error>"),
    xml("not-well-formed", "<Error><Code>Evil</Message></Error>"),
    xml("cut", "<Error><Code>Evil"),
    xml(
      "controls",
      "<Error><Code>Ev\u{9B}2J\u{202E}il</Code><Message>\u{9B}31m\u{2066}\u{2028}\u{85}\u{7F}</Message></Error>"),
    xml("references", "<Error><Code>Evil&#x9B;2J</Code><Message>&#x202E;&#x85;&#x2028;&#xFEFF;</Message></Error>"),
    xml(
      "long",
      "<Error><Code>\(String(repeating: "c", count: 20_000))</Code><Message>\(String(repeating: "m", count: 20_000))</Message></Error>"
    ),
    xml("utf-16", bytes: wide(.utf16)),
    xml("utf-16-le", bytes: wide(.utf16LittleEndian)),
    xml("utf-16-be", bytes: wide(.utf16BigEndian)),
    xml("utf-32", bytes: wide(.utf32)),
    .init(
      "xml-of-success", [.storage: .asks("destination", 200)], status: 200, body: Array(laughs.utf8),
      type: "application/xml"),
    .init(
      "xml-hidden-503", [.storage: .aborted], status: 200,
      body: Array("<Error><Code>SlowDown</Code><Message>\u{9B}2J</Message></Error>".utf8), type: "application/xml"),
  ]

  private static let laughs: String = {
    let levels = (1...9).map { "<!ENTITY l\($0) \"\(String(repeating: "&l\($0 - 1);", count: 10))\">" }.joined()
    return "<?xml version=\"1.0\"?><!DOCTYPE Error [<!ENTITY l0 \"ha\">\(levels)]><Error><Code>&l9;</Code></Error>"
  }()

  private static let passwd =
    "<?xml version=\"1.0\"?><!DOCTYPE Error [<!ENTITY x SYSTEM \"file:///etc/passwd\">]>"
    + "<Error><Code>Evil</Code><Message>&x;</Message></Error>"

  private static func wide(_ encoding: String.Encoding) -> [UInt8] {
    passwd.data(using: encoding).map { Array($0) } ?? []
  }

  private static func xml(_ name: String, _ body: String) -> HostileAnswer { xml(name, bytes: Array(body.utf8)) }

  private static func xml(_ name: String, bytes: [UInt8]) -> HostileAnswer {
    .init("xml-" + name, [.storage: .asks("rejected", 400)], status: 400, body: bytes, type: "application/xml")
  }
}
