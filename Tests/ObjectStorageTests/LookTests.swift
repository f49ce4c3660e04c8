import ChildProcesses
import Jobs
import LoopbackPeer
import Testing

@testable import ObjectStorage

@Suite(.slot) struct LookTests {
  @Test(
    arguments: [
      (200, nil), (404, nil), (503, .unavailable), (429, .throttled), (500, .transient), (502, .transient),
      (403, .destination), (301, .destination), (405, .rejected), (501, .destination),
    ] as [(Int, Failure.Kind?)])
  func sendsSignedObjectHead(_ status: Int, _ kind: Failure.Kind?) async throws {
    let peer = try LoopbackPeer { _ in .answer(status, ["Retry-After": "7"]) }
    let failure = try await TestBucket.make(peer.url).look(bucket: "documents", key: "a/b c.pdf")
    #expect(failure?.kind == kind)
    if kind == .unavailable { #expect(failure?.retryAfter == .seconds(7)) }
    let request = try #require(peer.requests.first)
    #expect(peer.requests.count == 1 && request.method == "HEAD" && request.target == "/documents/a/b%20c.pdf")
    #expect(request["Authorization"]?.hasPrefix("AWS4-HMAC-SHA256 Credential=") == true)
  }

  @Test func emptyKeyChecksBucket() async throws {
    let peer = try LoopbackPeer { _ in .answer(200) }
    #expect(try await TestBucket.make(peer.url).look(bucket: "documents", key: nil) == nil)
    #expect(peer.requests.first?.target == "/documents")
    let none = try LoopbackPeer { _ in .answer(404) }
    let failure = try await TestBucket.make(none.url).look(bucket: "documents", key: nil)
    #expect(failure?.kind == .destination && failure?.status == 404)
  }
}
