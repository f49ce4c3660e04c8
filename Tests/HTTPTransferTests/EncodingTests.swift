import ChildProcesses
import Foundation
import HTTPTransfer
import LoopbackPeer
import Testing

@Suite(.slot) struct EncodingTests {
  private static let text = Array(#"{"error":"no such order"}"#.utf8)

  /// The text in an encoding, its name in an answer, and whether the answer can be read.
  private static let encodings: [(name: String, base64: String, isKnown: Bool)] = [
    ("gzip", "H4sIAAAAAAACA6tWSi0qyi9SslLKy1coLk3OUMgvSkktUqoFADrtdjYZAAAA", true),
    ("x-gzip", "H4sIAAAAAAACA6tWSi0qyi9SslLKy1coLk3OUMgvSkktUqoFADrtdjYZAAAA", true),
    ("deflate", "eJyrVkotKsovUrJSystXKC5NzlDIL0pJLVKqBQBxbgjR", true),
    ("deflate", "q1ZKLSrKL1KyUsrLVyguTc5QyC9KSS1SqgUA", true),
    ("identity", "eyJlcnJvciI6Im5vIHN1Y2ggb3JkZXIifQ==", true),
    ("GZIP", "H4sIAAAAAAACA6tWSi0qyi9SslLKy1coLk3OUMgvSkktUqoFADrtdjYZAAAA", true),
    ("unheard-of", "AAAA", false),
    ("gzip", "eyJlcnJvciI6Im5vIHN1Y2ggb3JkZXIifQ==", false),
  ]

  private static func reply(
    _ status: Int, _ headers: [String: String], _ body: [UInt8]
  ) -> LoopbackPeer.Reply {
    let lines = headers.map { "\($0): \($1)\r\n" }.joined()
    return .raw(Array("HTTP/1.1 \(status) Any\r\n\(lines)Content-Length: \(body.count)\r\n\r\n".utf8) + body, .next)
  }

  /// The status counts, whatever the body is in; a body that cannot be read is not taken for none.
  @Test(arguments: encodings.indices, [201, 422])
  func bodyIsDecoded(_ index: Int, _ status: Int) async throws {
    let (name, base64, isKnown) = Self.encodings[index]
    let body = [UInt8](try #require(Data(base64Encoded: base64)))
    let peer = try LoopbackPeer { _ in Self.reply(status, ["Content-Encoding": name], body) }
    let response = try await Transport().send(HTTPRequest(method: "POST", url: peer.url, body: .bytes([1])))
    #expect(response.status == status)
    #expect(response.body == (isKnown ? Self.text : []))
    #expect(response.bodyTruncated == !isKnown)
    #expect(response.hasBody)
    #expect(peer.requests.map { $0["Accept-Encoding"] } == ["identity"])
  }

  @Test(arguments: ["HEAD", "GET"]) func bodyThatIsNotThereIsNone(_ method: String) async throws {
    let peer = try LoopbackPeer { _ in Self.reply(200, ["Content-Encoding": "aws-chunked,gzip"], []) }
    let response = try await Transport().send(HTTPRequest(method: method, url: peer.url))
    #expect(response.status == 200 && !response.hasBody)
  }

  /// A range of an object's bytes is not the beginning of a stream.
  @Test func rangeStaysEncoded() async throws {
    let peer = try LoopbackPeer { _ in Self.reply(206, ["Content-Encoding": "gzip"], Array("range".utf8)) }
    let range = [HTTPHeader("Range", "bytes=0-4")]
    let response = try await Transport().send(HTTPRequest(method: "GET", url: peer.url, headers: range))
    #expect(response.body == Array("range".utf8))
    #expect(!response.bodyTruncated)
  }

  @Test func limitHoldsForDecodedBytes() async throws {
    let body = [UInt8](try #require(Data(base64Encoded: Self.encodings[0].base64)))
    let peer = try LoopbackPeer { _ in Self.reply(200, ["Content-Encoding": "gzip"], body) }
    var request = HTTPRequest(method: "GET", url: peer.url)
    request.bodyLimit = 5
    let response = try await Transport().send(request)
    #expect(response.body == Array(Self.text.prefix(5)))
    #expect(response.bodyTruncated)
  }
}
