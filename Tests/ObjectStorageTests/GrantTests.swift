import ChildProcesses
import Foundation
import HTTPTransfer
import Jobs
import Linux
import LoopbackPeer
import Messages
import Settings
import Synchronization
import Testing

@testable import ObjectStorage

@Suite(.slot) struct GrantTests {
  private static let now = Timestamp(year: 2026, month: 11, day: 21)
  private static let locator = "https://cdn.example.com/ü.pdf"

  private static func settings(
    _ hosts: [String]? = nil, url: String = "https://api.example.com/uploads"
  ) -> GrantedSettings {
    var settings = GrantedSettings(name: "granted", backend: "main", uploadURL: url)
    settings.uploadHosts = hosts
    return settings
  }

  private static func read(
    _ text: String, size: Int64 = 10, _ settings: GrantedSettings = settings()
  ) throws(Failure) -> UploadGrant {
    try UploadGrant(Array(text.utf8), size: size, settings, now: now)
  }

  /// `{"url": "https://h/k", "locator": "l", MORE}`
  private static func simple(_ more: String, url: String = "https://h/k") -> String {
    #"{"url": "\#(url)", "locator": "l"\#(more.isEmpty ? "" : ", " + more)}"#
  }

  private static func inParts(_ urls: String, _ complete: String = #"{"url": "https://h/c"}"#) -> String {
    #"{"parts": {"size": 4, "urls": [\#(urls)]}, "complete": \#(complete), "locator": "l"}"#
  }

  @Test func readsGrants() throws {
    let grant = try Self.read(
      Self.simple(
        #""method": "POST", "headers": {"x-ms-blob-type": "BlockBlob"}, "expires_in": 60, "head_url": null, "x": [1]"#))
    #expect(grant.call == .init(method: "POST", url: "https://h/k") && grant.parts == nil)
    #expect(grant.headers == [HTTPHeader("x-ms-blob-type", "BlockBlob")] && grant.headURL == nil)
    #expect(grant.expiresAt == Self.now + .seconds(60) && !grant.isOver(Self.now + .seconds(59)))
    #expect(grant.isOver(Self.now + .seconds(60)))
    let urls = ["https://h/1", "https://h/2", "https://h/3"]
    let parts = try Self.read(Self.inParts(urls.map { "\"\($0)\"" }.joined(separator: ",")))
    #expect(try #require(parts.parts) == (4, urls) && !parts.isJSON)
    #expect(parts.call == .init(method: "POST", url: "https://h/c"))
    let empty = try Self.read(Self.inParts(#""https://h/1""#, #"{"url": "https://h/c", "body": "json"}"#), size: 0)
    #expect(try #require(empty.parts) == (4, ["https://h/1"]) && empty.isJSON)
    for host in ["h", "a.h"] {
      let isAllowed = (try? Self.read(Self.simple("", url: "https://\(host)/k"), Self.settings(["*.h"]))) != nil
      #expect(isAllowed == (host == "a.h"))
    }
    #expect((try? Self.read(Self.simple("", url: "http://h/k"), Self.settings(url: "http://a/"))) != nil)
  }

  @Test(
    arguments: [
      ("", "JSON is missing"), ("[]", "JSON is missing"), ("{}", "locator is missing"),
      (#"{"locator": "l"}"#, "url is missing"), (#"{"url": "https://h/k"}"#, "locator is missing"),
      (#"{"locator": "l", "url": 5}"#, "url is missing"),
      (#"{"locator": "a\u0007", "url": "https://h"}"#, "locator is"),
      (simple("", url: "ftp://h/k"), "url is not an http"), (simple("", url: "https://u:p@h/k"), "url is not an http"),
      (simple("", url: "http://h/k"), "url is http://"), (simple("", url: "https://evil/k"), "url names the host evil"),
      (simple(#""method": "DELETE""#), "method is missing"), (simple(#""headers": ["a"]"#), "headers is missing"),
      (simple(#""headers": {"Host": "x"}"#), "headers names a header that cannot be sent so: Host"),
      (simple(#""headers": {"content-length": "3"}"#), "headers names"),
      (simple(#""headers": {"a b": "c"}"#), "headers names"),
      (simple(#""headers": {"a": "b\r\nc: d"}"#), "headers names"), (simple(#""headers": {"a": 1}"#), "headers names"),
      (simple(#""expires_at": "soon""#), "expires_at is missing"),
      (simple(#""expires_in": -1"#), "expires_in is missing"),
      (simple(#""expires_at": "2026-11-20T23:59:59Z""#), "expires_at was over at"),
      (simple(#""head_url": "http://h/""#), "head_url is http://"),
      (inParts(#""https://h/1""#), "parts.urls has 1 URLs, but the file has 3 parts"),
      (inParts(#""https://h/1", "https://h/2", 3"#), "parts.urls is missing"),
      (inParts(#""https://h/1", "https://h/2", "https://h/3""#, "null"), "complete is missing"),
      (inParts(#""https://h/1", "https://h/2", "https://h/3""#, "{}"), "complete.url is missing"),
      (#"{"locator": "l", "parts": {"size": 0, "urls": []}, "complete": {}}"#, "parts.size is missing"),
    ])
  func wrongGrantIsFaultOfBackend(text: String, words: String) throws {
    let failure = #expect(throws: Failure.self) { _ = try Self.read(text, Self.settings(["h"])) }
    #expect(failure?.kind == .destination)
    #expect(
      failure?.message.text.hasPrefix("the grant of the upload cannot be used: \(words)") == true,
      "\(failure?.message.text ?? "")")
  }

  private static let signature = "0123456789abcdef0123456789abcdef"

  @Test(
    arguments: [
      (200, "", nil, false), (201, "", nil, false), (204, "", nil, false),
      (200, "<html></html>", .destination, false), (200, "<Error><Code>SlowDown</Code></Error>", .unavailable, false),
      (503, "", .unavailable, false), (500, "", .transient, false), (302, "", .destination, false),
      (401, "", .destination, false), (403, "", .destination, false), (404, "", .rejected, false),
      (400, "<Error><Code>ExpiredToken</Code></Error>", .destination, true),
      (403, "<Error><Code>AccessDenied</Code><Message>Request has expired</Message></Error>", .destination, true),
      (403, "<Error><Code>AuthenticationFailed</Code></Error>", .destination, true),
      (403, "<Error><Code>SignatureDoesNotMatch</Code></Error>", .destination, false),
      (507, "<Error><Code>X</Code><Message>\(signature)</Message></Error>", .transient, false),
    ] as [(Int, String, Failure.Kind?, Bool)])
  func answersHaveMeanings(status: Int, body: String, kind: Failure.Kind?, isOfTime: Bool) throws {
    let grant = try Self.read(Self.simple(#""expires_in": 60"#))
    let call = UploadGrant.Call(method: "PUT", url: "https://h/k?X-Amz-Signature=\(Self.signature)")
    let response = HTTPResponse(status: status, body: Array(body.utf8), bytesSent: 10)
    let refusal = grant.refusal(response, to: call, sending: 10, now: Self.now)
    #expect(refusal?.failure.kind == kind && refusal?.isOfTime ?? false == isOfTime)
    #expect(refusal?.failure.grantor == nil)
    #expect(refusal.map { "\($0)".contains(Self.signature) } != true, "the signature is a secret")
    // By the grant's own word.
    let late = grant.refusal(response, to: call, sending: 10, now: Self.now + .seconds(60))
    #expect(late?.isOfTime ?? false == (isOfTime || [400, 401, 403].contains(status)))
  }

  @Test func earlyAnswerProvesNothing() throws {
    let call = UploadGrant.Call(method: "PUT", url: "https://h/k")
    let refusal = try Self.read(Self.simple(""))
      .refusal(HTTPResponse(status: 201, bytesSent: 9), to: call, sending: 10, now: Self.now)
    #expect(refusal?.failure.kind == .destination && refusal?.failure.mayHaveActed == true)
  }

  /// Stores a file at a peer, by these grants in their order; `HOST` in them is the peer.
  private func upload(
    _ bytes: [UInt8], _ grants: [String], now: @escaping @Sendable () -> Timestamp = { GrantTests.now },
    _ peer: LoopbackPeer, asked: @escaping @Sendable ([UInt8]) -> Void = { _ in }
  ) async throws -> Result<UploadReceipt, UploadFailure> {
    let left = Mutex(grants.map { $0.replacing("HOST", with: peer.url) })
    let storage = GrantedStorage(
      Self.settings(url: "http://api/"),
      .init(
        transport: try Transport(maxConnections: 4), workers: try WorkerThreads(count: 1, name: "test"), now: now,
        userAgent: "waybill/test")
    ) { _, body in
      asked(body)
      return Array(left.withLock { $0.isEmpty ? "{}" : $0.removeFirst() }.utf8)
    }
    let file = try TestFile(bytes)
    var object = try file.object(bucket: "")
    object.facts = KeyFacts(
      spool: "docs", id: object.id, name: FileName("ü.pdf"), job: JobNumber(rawValue: 1), host: "h",
      path: Array("in".utf8), time: Self.now, metadata: ["a": "b"])
    return await storage.upload(object)
  }

  private static let plain = #"{"url": "HOST/k?s=1", "locator": "\#(locator)", "headers": {"x-a": "b"}"#

  @Test func sendsBytesAsGranted() async throws {
    let peer = try LoopbackPeer { _ in .answer(201, ["ETag": "\"e7\""]) }
    let asked = Mutex<[UInt8]>([])
    let receipt = try await upload([1, 2, 3], [Self.plain + "}"], peer) { body in asked.withLock { $0 = body } }.get()
    #expect(receipt.etag == "e7" && receipt.bucket.isEmpty && receipt.size == 3 && receipt.checksum == nil)
    #expect(receipt.granted == .init(locator: Self.locator, isProven: true))
    let request = try #require(peer.requests.first)
    #expect(request.method == "PUT" && request.target == "/k?s=1" && request.body == [1, 2, 3])
    #expect(request["x-a"] == "b" && request["Authorization"] == nil && request["Content-Type"] == nil)
    let body = try #require(JSONSerialization.jsonObject(with: Data(asked.withLock(\.self))) as? [String: Any])
    let sha256 = "039058c6f2c0cb492c533b0a4d14ef77cc0f78abccced5287d84a1a2011cfb81"
    #expect(body["sha256"] as? String == sha256 && receipt.sha256 == sha256)
    #expect(body["name"] as? String == "ü.pdf" && body["path"] as? String == "in" && body["size"] as? Int == 3)
    #expect(body["key"] as? String == "a key/ü.pdf" && body["metadata"] as? [String: String] == ["a": "b"])
  }

  @Test func sendsPartsInOrderAndTheirETags() async throws {
    let peer = try LoopbackPeer { request in
      request.method == "POST"
        ? .document("CompleteMultipartUploadResult", "<ETag>\"all-2\"</ETag>")
        : .answer(200, ["ETag": "\"e\(request.target.dropFirst())\""])
    }
    let parts =
      #"{"parts": {"size": 2, "urls": ["HOST/1", "HOST/2"]}, "complete": {"url": "HOST/c"BODY}, "locator": "l"}"#
    for (more, list) in [
      ("", "<Part><PartNumber>2</PartNumber><ETag>&quot;e2&quot;</ETag></Part></CompleteMultipartUpload>"),
      (#", "body": "json""#, #"{"parts":[{"number":1,"etag":"\"e1\""},{"number":2,"etag":"\"e2\""}]}"#),
    ] {
      let receipt = try await upload([1, 2, 3], [parts.replacing("BODY", with: more)], peer).get()
      #expect(receipt.etag == "all-2" && receipt.granted?.isProven == true)
      let requests = peer.requests.suffix(3)
      #expect(requests.map(\.target) == ["/1", "/2", "/c"] && requests.map(\.body).prefix(2) == [[1, 2], [3]])
      let sent = try #require(requests.last).body
      #expect(String(decoding: sent, as: UTF8.self).hasSuffix(list))
    }
  }

  /// The size that HEAD shows, with the result: proven, not proven, or a failure.
  @Test(arguments: [("200", "3", true), ("200", "4", nil), ("404", "0", nil), ("403", "0", false), ("500", "0", nil)])
  func headProvesUploadWithoutETag(status: String, size: String, isProven: Bool?) async throws {
    let peer = try LoopbackPeer { request in
      request.method == "HEAD" ? .answer(Int(status) ?? 0, ["Content-Length": size]) : .answer(201)
    }
    let end = try await upload([1, 2, 3], [Self.plain + #", "head_url": "HOST/h"}"#], peer)
    guard let isProven else {
      let failure = try end.requireFailed()
      return #expect(failure.kind == .transient && failure.mayHaveActed)
    }
    #expect(try end.get().granted?.isProven == isProven)
    // Without head_url, nothing proves it here.
    #expect(try await upload([1], [Self.plain + "}"], peer).get().granted?.isProven == false)
  }

  @Test func asksOnceMoreForGrantThatIsOver() async throws {
    let denied = LoopbackPeer.Reply.document("Error", "<Code>ExpiredToken</Code>")
    let peer = try LoopbackPeer { request in
      guard request.target == "/old", case .answer(_, let headers, let body) = denied else {
        return .answer(200, ["ETag": "\"e\""])
      }
      return .answer(403, headers, body)
    }
    let old = #"{"url": "HOST/old", "locator": "l"}"#
    _ = try await upload([1], [old, Self.plain + "}"], peer).get()
    #expect(peer.requests.map(\.target) == ["/old", "/k?s=1"])
    let failure = try await upload([1], [old, old, Self.plain + "}"], peer).requireFailed()
    #expect(failure.kind == .destination && failure.grantor == nil && peer.requests.count == 4)
    let wrong = try await upload([1], ["{}"], peer).requireFailed()
    #expect(wrong.grantor == .backend("main") && !wrong.mayHaveActed)
    // By its own word, before anything is sent.
    let count = Mutex(0)
    let passing: @Sendable () -> Timestamp = {
      GrantTests.now
        + .seconds(
          count.withLock {
            $0 += 40; return $0
          })
    }
    let short = try await upload(
      [1], [Self.plain + #", "expires_in": 30}"#, Self.plain + #", "expires_in": 30}"#], now: passing, peer
    )
    .requireFailed()
    #expect(short.kind == .destination && short.grantor == .backend("main") && peer.requests.count == 4)
  }

  @Test func nothingGrantedIsRemovedFromHere() {
    let cleanup = Cleanup(id: TestFile.newID(), bucket: "", key: "k", aim: .remove)
    guard case .refused = GrantedStorage.clear(cleanup) else { return #expect(Bool(false)) }
  }
}
