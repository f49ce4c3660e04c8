import ChildProcesses
import Jobs
import LoopbackPeer
import Synchronization
import Testing

@testable import ObjectStorage

/// What a 412 leads to: HEAD tells whose the object is.
@Suite(.slot) struct PreconditionTests {
  private static let exists = LoopbackPeer.Reply.answer(412, [:], "<Error><Code>PreconditionFailed</Code></Error>")

  @Test func rejectsForeignObject() async throws {
    let object = try TestFile([1, 2, 3]).object()
    for reply in [LoopbackPeer.Reply.head(TestFile.newID()), .answer(200, ["Content-Length": "3"])] {
      let peer = try LoopbackPeer { $0.method == "HEAD" ? reply : Self.exists }
      let failure = try await TestBucket.make(peer.url).upload(object).requireFailed()
      #expect(failure.kind == .rejected)
      #expect(failure.status == 412)
      #expect(failure.words == "HTTP 412: an object with this key exists and is not from this job")
      #expect(peer.requests.map(\.method) == ["PUT", "HEAD"])
    }
  }

  @Test func retriesOnceWhenObjectVanishes() async throws {
    let peer = try LoopbackPeer { $0.method == "HEAD" ? .answer(404) : Self.exists }
    let failure = try await TestBucket.make(peer.url).upload(TestFile([1]).object()).requireFailed()
    #expect(failure.kind == .transient)
    #expect(!failure.mayHaveActed)
  }

  @Test func refusedHeadNamesNeededPermission() async throws {
    let peer = try LoopbackPeer { $0.method == "HEAD" ? .answer(403) : Self.exists }
    let failure = try await TestBucket.make(peer.url).upload(TestFile([1]).object()).requireFailed()
    #expect(failure.kind == .destination)
    #expect(
      failure.words == "HTTP 403 (Forbidden) to HEAD: to find out who stored the object, the key needs permission to "
        + "read it (s3:GetObject)")
  }

  /// Backblaze B2 takes no `If-None-Match`. HEAD says then whether the key is free, unless it is the job's own.
  @Test(arguments: ["<Header>If-None-Match</Header>", ""])
  func headReplacesUnsupportedCondition(_ header: String) async throws {
    let body = "<Error><Code>NotImplemented</Code><Message>Not implemented.</Message>\(header)</Error>"
    let peer = try LoopbackPeer { request in
      if request.method == "HEAD" { return .answer(404) }
      return request["If-None-Match"] == nil ? .answer(200, ["ETag": "\"e\""]) : .answer(501, [:], body)
    }
    let notices = Mutex<[String]>([])
    let bucket = try TestBucket.make(peer.url, notice: { words in notices.withLock { $0.append(words) } })
    let file = try TestFile([1])
    for object in try [file.object(), file.object(), file.objectOfItsOwn()] {
      _ = try await bucket.upload(object).get()
    }
    #expect(peer.requests.map(\.method) == ["PUT", "HEAD", "PUT", "HEAD", "PUT", "PUT"])
    #expect(notices.withLock(\.count) == 1)
    #expect(notices.withLock(\.first)?.hasPrefix("storage.main does not take If-None-Match (HTTP 501)") == true)
  }

  /// Neither the condition nor HEAD tells whose the object would be: nothing is written to a key that may be another's.
  @Test func replacesNothingWithoutConditionOrHead() async throws {
    let body =
      "<Error><Code>NotImplemented</Code><Message>Not implemented.</Message><Header>If-None-Match</Header></Error>"
    let peer = try LoopbackPeer { request in
      if request.method == "HEAD" { return .answer(403) }
      return request["If-None-Match"] == nil ? .answer(200, ["ETag": "\"e\""]) : .answer(501, [:], body)
    }
    let bucket = try TestBucket.make(peer.url)
    let file = try TestFile([1])
    let first = try await bucket.upload(file.object()).requireFailed()
    #expect(first.kind == .destination && first.words.contains("overwrite = true"), "\(first.words)")
    _ = try await bucket.upload(file.objectOfItsOwn()).get()
    #expect(!bucket.trust.takesCondition)
    let second = try await bucket.upload(file.object()).requireFailed()
    #expect(second.kind == .destination && second.words.contains("s3:GetObject"), "\(second.words)")
    // The second object is looked for, since the storage had a problem before; the third is not sent.
    #expect(peer.requests.map(\.method) == ["PUT", "HEAD", "PUT", "PUT", "HEAD", "HEAD"])
  }

  @Test func unrelated501KeepsConditions() async throws {
    let body = "<Error><Code>NotImplemented</Code><Message>Not implemented.</Message></Error>"
    let peer = try LoopbackPeer { $0.method == "HEAD" ? .answer(404) : .answer(501, [:], body) }
    let bucket = try TestBucket.make(peer.url)
    let failure = try await bucket.upload(TestFile([1]).object()).requireFailed()
    #expect(failure.kind == .destination)
    #expect(failure.words == "HTTP 501 NotImplemented: Not implemented.")
    #expect(bucket.trust.takesCondition)
  }

  @Test func unconditionalPut412IsRejected() async throws {
    let peer = try LoopbackPeer { _ in Self.exists }
    let failure = try await TestBucket.make(peer.url, overwrite: true).upload(TestFile([1]).object()).requireFailed()
    #expect(failure.kind == .rejected)
    #expect(peer.requests.count == 1)
  }
}
