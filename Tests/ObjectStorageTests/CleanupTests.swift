import ChildProcesses
import HTTPTransfer
import Jobs
import LoopbackPeer
import Settings
import Synchronization
import Testing

@testable import ObjectStorage

/// One try to clean up what a cancelled job may have left, request by request.
@Suite(.slot) struct CleanupTests {
  private static let gone = LoopbackPeer.Reply.answer(204)

  private static func denied(_ code: String) -> LoopbackPeer.Reply {
    .answer(403, [:], "<Error><Code>\(code)</Code><Message>No.</Message></Error>")
  }

  private func object(
    remove: Bool, id: JobID = TestFile.newID(), version: String? = nil, uploadID: String? = nil
  ) -> Cleanup {
    Cleanup(
      id: id, bucket: "documents", key: "a key/ü.pdf", aim: remove ? .remove : .look, version: version,
      uploadID: uploadID)
  }

  private func targets(_ peer: LoopbackPeer) -> [String] { peer.requests.map { "\($0.method) \($0.target)" } }

  @Test func keepsForeignObjects() async throws {
    for reply in [
      LoopbackPeer.Reply.head(TestFile.newID()), .answer(200, ["Content-Length": "3", "ETag": "\"x\""]), .answer(404),
    ] {
      let peer = try LoopbackPeer { $0.method == "HEAD" ? reply : Self.gone }
      #expect(try await TestBucket.make(peer.url).clear(object(remove: true)) == .absent)
      #expect(peer.requests.map(\.method) == ["HEAD"])
    }
  }

  /// A bucket with versions: what is deleted is the version that showed the id. The one below it is the object then, so it is looked at too.
  @Test func deletesVersionsWithOwnID() async throws {
    let path = "/documents/a%20key/%C3%BC.pdf"
    let (own, other) = (TestFile.newID(), TestFile.newID())
    func peer(_ versions: [(JobID, String)]) throws -> LoopbackPeer {
      let left = Mutex(versions)
      return try LoopbackPeer { request in
        left.withLock { left in
          guard request.method == "HEAD" else {
            left.removeAll { request.target.hasSuffix("versionId=\($0.1)") }
            return Self.gone
          }
          let asked = left.first { request.target.hasSuffix("versionId=\($0.1)") }
          let isAsked = request.target.contains("versionId")
          return (isAsked ? asked : left.first).map { LoopbackPeer.Reply.head($0.0, version: $0.1) } ?? .answer(404)
        }
      }
    }
    let two = try peer([(own, "v3"), (own, "v2"), (other, "v1")])
    #expect(try await TestBucket.make(two.url).clear(object(remove: true, id: own)) == .removed)
    #expect(
      targets(two) == [
        "HEAD \(path)", "DELETE \(path)?versionId=v3", "HEAD \(path)", "DELETE \(path)?versionId=v2", "HEAD \(path)",
      ])
    let known = try peer([(other, "v3"), (own, "v2")])
    #expect(try await TestBucket.make(known.url).clear(object(remove: true, id: own, version: "v2")) == .removed)
    #expect(targets(known) == ["HEAD \(path)?versionId=v2", "DELETE \(path)?versionId=v2", "HEAD \(path)"])
    // The version of the receipt is gone already.
    let gone = try peer([(own, "v1")])
    #expect(try await TestBucket.make(gone.url).clear(object(remove: true, id: own, version: "v2")) == .removed)
    #expect(targets(gone).last == "HEAD \(path)" && targets(gone).contains("DELETE \(path)?versionId=v1"))
    let kept = try peer([(own, "v3")])
    #expect(try await TestBucket.make(kept.url).clear(object(remove: false, id: own)) == .left)
  }

  /// Without the permission to list, S3 refuses HEAD for what is not there.
  @Test func refusedLookAfterDeletionFindsNothing() async throws {
    let found = object(remove: true)
    let isThere = Mutex(true)
    let peer = try LoopbackPeer { request in
      guard request.method != "DELETE" else {
        isThere.withLock { $0 = false }
        return Self.gone
      }
      if isThere.withLock(\.self) { return .head(found.id, version: "v3") }
      return request.method == "HEAD" ? .answer(403) : Self.denied("AccessDenied")
    }
    #expect(try await TestBucket.make(peer.url).clear(found) == .removed)
  }

  @Test func versionThatStaysIsNoEndlessLoop() async throws {
    let found = object(remove: true)
    let peer = try LoopbackPeer { $0.method == "HEAD" ? .head(found.id, version: "v3") : Self.gone }
    let failure = try await TestBucket.make(peer.url).clear(found).requireFailed()
    #expect(failure.kind == .transient && failure.mayHaveActed)
  }

  @Test func abortsMultipartUploadBeforeHead() async throws {
    let path = "/documents/a%20key/%C3%BC.pdf"
    let noSuchUpload = LoopbackPeer.Reply.answer(404, [:], "<Error><Code>NoSuchUpload</Code></Error>")
    for reply in [Self.gone, noSuchUpload] {
      let peer = try LoopbackPeer { $0.method == "HEAD" ? .answer(404) : reply }
      #expect(try await TestBucket.make(peer.url).clear(object(remove: false, uploadID: "u/1")) == .absent)
      #expect(targets(peer) == ["DELETE \(path)?uploadId=u%2F1", "HEAD \(path)"])
    }
  }

  /// An answer that is not S3's does not say whether the upload is gone. The list of its parts does.
  @Test(arguments: [(404, CleanupResult.absent), (200, nil)])
  func partListingConfirmsAbort(_ status: Int, _ expected: CleanupResult?) async throws {
    let list = "<ListPartsResult><MaxParts>1000</MaxParts></ListPartsResult>"
    let none = "<Error><Code>NoSuchUpload</Code></Error>"
    let peer = try LoopbackPeer { request in
      switch request.method {
      case "HEAD": .answer(404)
      case "GET": .answer(status, [:], status == 200 ? list : none)
      default: .answer(200, [:], "<AbortMultipartUploadResult/>")
      }
    }
    let result = await (try TestBucket.make(peer.url)).clear(object(remove: true, uploadID: "u"))
    if let expected { #expect(result == expected) } else { _ = try result.requireFailed() }
    #expect(peer.requests.map(\.method) == (expected == nil ? ["DELETE", "GET"] : ["DELETE", "GET", "HEAD"]))
  }

  /// Otherwise such a cleanup would never end.
  @Test func cleanupSurvivesUnreadableUploadList() async throws {
    let id = TestFile.newID()
    let object = Cleanup(id: id, bucket: "documents", key: "\(id)/a", aim: .remove)
    let peer = try LoopbackPeer { request in
      switch request.method {
      case "HEAD": .head(id)
      case "GET": .answer(200, [:], "<Unknown/>")
      default: Self.gone
      }
    }
    #expect(try await TestBucket.make(peer.url).clear(object) == .removed)
  }

  /// As moto answers: HEAD has no body that could be a page, and GET says what it means. A web server says the same to both.
  @Test(arguments: [false, true]) func getConfirmsHTMLNotFound(isWebServer: Bool) async throws {
    let html = ["Content-Type": "text/html"]
    let peer = try LoopbackPeer { request in
      if request.method == "HEAD" || isWebServer { return .answer(404, html, "<html>") }
      return .answer(404, [:], "<Error><Code>NoSuchKey</Code></Error>")
    }
    switch await (try TestBucket.make(peer.url)).clear(object(remove: true)) {
    case .absent: #expect(!isWebServer)
    case .failed(let failure, _): #expect(isWebServer && failure.kind == .destination)
    case let other: Issue.record("\(other)")
    }
    #expect(peer.requests.map(\.method) == ["HEAD", "GET"])
  }

  @Test func missingObjectCountsAsRemoved() async throws {
    let object = object(remove: true)
    let peer = try LoopbackPeer { $0.method == "HEAD" ? .head(object.id) : .answer(404) }
    #expect(try await TestBucket.make(peer.url).clear(object) == .removed)
  }

  @Test(arguments: [
    (403, "AccessDenied", true), (405, "MethodNotAllowed", true), (501, "NotImplemented", true),
    (409, "ObjectLocked", true), (403, "RequestTimeTooSkewed", false), (403, "SignatureDoesNotMatch", false),
    (401, "Unauthorized", false), (301, "PermanentRedirect", false), (500, "InternalError", false),
    (503, "SlowDown", false), (429, "TooManyRequests", false), (400, "RequestTimeout", false),
  ])
  func onlyPermanentRefusalIsFinal(_ status: Int, _ code: String, _ isFinal: Bool) async throws {
    let object = object(remove: true)
    let peer = try LoopbackPeer { request in
      if request.method == "HEAD" { return .head(object.id) }
      return .answer(status, [:], "<Error><Code>\(code)</Code></Error>")
    }
    switch await (try TestBucket.make(peer.url)).clear(object) {
    case .refused(let failure): #expect(isFinal && failure.words.hasPrefix("HTTP \(status) \(code)"))
    case .failed(let failure, _): #expect(!isFinal && failure.status == status)
    case let other: Issue.record("\(other)")
    }
  }

  @Test func badKeyDiffersFromMissingPermission() async throws {
    let object = object(remove: true)
    for (code, isFinal) in [("AccessDenied", true), ("InvalidAccessKeyId", false), ("ExpiredToken", false)] {
      let peer = try LoopbackPeer { $0.method == "HEAD" ? .answer(403) : Self.denied(code) }
      switch await (try TestBucket.make(peer.url)).clear(object) {
      case .refused(let failure): #expect(isFinal && failure.code == code)
      case .failed(let failure, _): #expect(!isFinal && failure.kind == .credentials)
      case let other: Issue.record("\(other)")
      }
      #expect(peer.requests.map(\.method) == ["HEAD", "GET"])
      #expect(peer.requests.last?["Range"] == "bytes=0-0")
    }
  }

  /// HEAD needs no right of its own, but some servers are odd: what GET shows counts as well.
  @Test func getReplacesRefusedHead() async throws {
    let object = object(remove: true)
    let peer = try LoopbackPeer { request in
      switch request.method {
      case "HEAD": .answer(403)
      case "GET": .answer(206, ["x-amz-meta-waybill-id": object.id.description, "ETag": "\"e\""], "a")
      default: Self.gone
      }
    }
    #expect(try await TestBucket.make(peer.url).clear(object) == .removed)
    #expect(peer.requests.map(\.method) == ["HEAD", "GET", "DELETE"])
  }
}
