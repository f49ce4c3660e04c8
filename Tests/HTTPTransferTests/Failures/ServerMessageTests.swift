import HTTPTransfer
import Testing

@Suite struct ServerMessageTests {
  private func find(_ body: String, _ type: String? = "application/json", status: Int? = nil) -> String? {
    find(Array(body.utf8), type, status: status)
  }

  private func find(_ body: [UInt8], _ type: String?, status: Int? = nil) -> String? {
    let headers = type.map { [HTTPHeader("Content-Type", $0)] } ?? []
    return ServerMessage.find(
      in: HTTPResponse(status: status ?? 0, headers: HTTPHeaders(headers), body: body), hiding: .none)
  }

  @Test(arguments: [
    (#"{"error":"taken"}"#, "taken"),
    (#"{"error":{"code":7,"message":"taken"}}"#, "taken"),
    (#"{"message":"taken"}"#, "taken"),
    (#"{"detail":"taken"}"#, "taken"),
    (#"{"title":"Taken","status":422}"#, "Taken"),
    (#"{"title":"Taken","detail":"number 7 is taken"}"#, "number 7 is taken"),
    (#"{"error":17,"message":"taken"}"#, "taken"),
    (#"{"error":null,"message":["taken"],"detail":"x"}"#, "taken"),
    (#"{"error":"","message":"taken"}"#, "taken"),
    (#"{"error":"Unprocessable Content","message":"taken"}"#, "taken"),
    (#"{"error":"Unprocessable Content"}"#, "Unprocessable Content"),
    (#"  "taken" "#, "taken"),
    (#"{"errors":["number is taken","date is missing"]}"#, "number is taken"),
    (#"{"errors":[{"message":"is taken","field":"number"},{"detail":"too long"}]}"#, "is taken"),
    (#"{"title":"Unprocessable Content","errors":[{"message":"is taken"}]}"#, "is taken"),
    (#"{"detail":[{"loc":["body","number"],"msg":"field required","type":"missing"}]}"#, "field required"),
    (#"{"error":{"errors":[{"message":"taken"}]}}"#, "taken"),
    (#"{"errors":{"invoice":["is taken"]}}"#, "invoice: is taken"),
    (#"{"error":["taken"]}"#, "taken"),
    (#"["taken"]"#, "taken"),
  ])
  func jsonMessagesAreFound(_ body: String, _ message: String) {
    #expect(find(body, status: 422) == message)
    #expect(find(body, "application/problem+json; charset=utf-8", status: 422) == message)
  }

  @Test(arguments: ["{}", "[]", "[1]", "17", "null", #"{"error":{"code":7}}"#, #"{"error":"tak"#, "{", "not json", ""])
  func jsonWithoutMessageGivesNone(_ body: String) { #expect(find(body) == nil) }

  @Test func deeplyNestedJSONGivesNone() {
    #expect(find(String(repeating: #"{"error":"#, count: 10_000)) == nil)
    #expect(find(String(repeating: "[", count: 60_000)) == nil)
    // Each list is searched once, or this would take hours.
    #expect(find(String(repeating: #"{"errors":["#, count: 31) + String(repeating: "]}", count: 31)) == nil)
  }

  @Test func textGivesFirstLine() {
    #expect(find("\r\n  out of stock \nat line 7", "text/plain; charset=utf-8") == "out of stock")
    #expect(find("out of stock", nil) == "out of stock")
    #expect(find(#"{"error":"taken"}"#, "text/plain") == "taken")
  }

  @Test(
    arguments: [
      ("<!DOCTYPE html><html><head><TITLE lang=en>\n 403\n Forbidden</TITLE>", "text/html", "403 Forbidden"),
      ("<html><title>Sign in</title>", nil, "Sign in"),
      ("<!doctype html><title>Bad gateway</title>", "application/json", "Bad gateway"),
    ] as [(String, String?, String)])
  func pageGivesTitle(_ body: String, _ type: String?, _ message: String) {
    #expect(find(body, type) == message)
  }

  @Test(
    arguments: [
      ("<!DOCTYPE html><h1>502</h1>", "text/html"), ("  <html>", nil),
      ("<Error><Message>X</Message></Error>", "application/xml"), ("<html><titles>X</titles>", "text/html"),
      ("hello", "text/html"), ("hello", "application/octet-stream"), ("\0\u{1}", nil), ("", "text/plain"), (" \n", nil),
    ] as [(String, String?)])
  func otherBodiesGiveNone(_ body: String, _ type: String?) { #expect(find(body, type) == nil) }

  @Test func nonTextBytesGiveNone() {
    #expect(find([0xFF, 0xFE, 0x41], "text/plain") == nil)
    #expect(find([0x7B, 0x22, 0xFF], "application/json") == nil)
  }

  @Test func messageIsBoundedAndEscaped() throws {
    let long = try #require(find(String(repeating: "a", count: 5000), "text/plain"))
    #expect(long.count == 301)
    #expect(long.hasSuffix("a…"))
    #expect(find(#"{"error":"\u001b[2J\u202Egone\nnext"}"#) == "\\x1b[2J\\u{202e}gone\\nnext")
    let controls = try #require(find(#"{"error":"\#(String(repeating: #"\u001b"#, count: 400))"}"#))
    #expect(controls.count == 301)
  }

  /// All marks on a letter are one character of Swift's, however many there are.
  @Test func boundsStackedCombiningMarks() throws {
    let piled = "a" + String(repeating: "\u{301}", count: 30_000)
    for (body, type) in [(piled, "text/plain"), (#"{"error":"\#(piled)"}"#, "application/json")] {
      let message = try #require(find(body, type))
      #expect(message.unicodeScalars.count == 301 && message.hasSuffix("…"))
    }
  }
}
