import ChildProcesses
import Jobs
import LoopbackPeer
import Synchronization
import Testing

@testable import ObjectStorage

/// The same for uploads in parts and for what is cleaned up: an answer that is not S3's counts if the storage shows what it
/// stands for, and for nothing else.
@Suite(.slot) struct PartProofTests {
  private static let unproven = "answers like a web server, not like an S3 storage"
  private static let page = ["Content-Type": "text/html"]
  private static let size = PartFile.partSize

  /// A server of one upload in parts; what a closure does not answer is answered as S3 does.
  private func peer(
    _ reply: @escaping @Sendable (LoopbackPeer.Request, _ isCompleted: Bool) -> LoopbackPeer.Reply?
  ) throws -> LoopbackPeer {
    let isCompleted = Atomic<Bool>(false)
    return try LoopbackPeer { request in
      if Step(request) == .complete { isCompleted.store(true, ordering: .releasing) }
      if let reply = reply(request, isCompleted.load(ordering: .acquiring)) { return reply }
      switch Step(request) {
      case .begin: return Self.begun("u")
      case .part: return .answer(200, ["ETag": "\"e\""])
      case .complete: return .document("CompleteMultipartUploadResult", "<ETag>\"e-1\"</ETag>")
      case nil: return .answer(request.method == "DELETE" ? 204 : 404)
      }
    }
  }

  private static let parts: [(name: String, reply: LoopbackPeer.Reply, isProof: Bool)] = [
    ("as S3", .answer(200, ["ETag": "\"e\""]), true), ("201", .answer(201, ["ETag": "\"e\""]), false),
    ("204", .answer(204), false), ("206", .answer(206, ["ETag": "\"e\""]), false), ("no ETag", .answer(200), false),
    ("weak", .answer(200, ["ETag": "W/\"e\""]), false), ("bare", .answer(200, ["ETag": "e"]), false),
    ("page", .answer(200, ["ETag": "\"e\"", "Content-Type": "text/html"], "<html>"), false),
  ]

  private static func listing(_ parts: String) -> LoopbackPeer.Reply { .document("ListPartsResult", parts) }

  private static func listed(_ number: Int, _ etag: String, _ size: Int64, _ more: String = "") -> LoopbackPeer.Reply {
    listing("<Part><PartNumber>\(number)</PartNumber><ETag>\(etag)</ETag><Size>\(size)</Size>\(more)</Part>")
  }

  private static let listings: [(name: String, reply: LoopbackPeer.Reply, shows: Bool)] = [
    ("it is there", listed(1, "\"l\"", size), true), ("nothing", listing(""), false),
    ("another part", listed(2, "\"l\"", size), false), ("another size", listed(1, "\"l\"", size - 1), false),
    ("a weak ETag", listed(1, "W/\"l\"", size), false),
    ("another checksum", listed(1, "\"l\"", size, "<ChecksumSHA256>AAAA</ChecksumSHA256>"), false),
    ("a page", .answer(200, page, "<html></html>"), false), ("no content", .answer(204), false),
    ("not found", .answer(404, page), false), ("refused", .answer(403), false),
  ]

  @Test func listingConfirmsUnprovenPart() async throws {
    for part in Self.parts {
      // One answer that is no proof meets each listing, the others one that shows the part and one that does not.
      let few = part.isProof ? Self.listings[1...1] : Self.listings[...1]
      for listing in part.name == "201" ? Self.listings[...] : few {
        let file = try PartFile(size: Self.size)
        let object = try file.object()
        let peer = try peer { request, isCompleted in
          switch request.method {
          case "PUT": part.reply
          case "GET": listing.reply
          case "HEAD" where isCompleted: Self.head(object.id)
          default: nil
          }
        }
        let result = await (try TestBucket.inParts(peer.url, isProven: false)).upload(object)
        let name = "\(part.name), \(listing.name)"
        #expect(peer.requests.contains { $0.method == "GET" } != part.isProof, "\(name)")
        if part.isProof || listing.shows {
          #expect(throws: Never.self, "\(name)") { try result.get() }
          let complete = peer.requests.last { $0.method == "POST" }.map { String(decoding: $0.body, as: UTF8.self) }
          #expect(complete?.contains(part.isProof ? "&quot;e&quot;" : "&quot;l&quot;") == true, "\(name)")
        } else {
          let failure = try result.requireFailed()
          #expect(failure.kind == .destination && failure.words.contains(Self.unproven), "\(name): \(failure.words)")
          #expect(failure.mayHaveActed)
          #expect(!peer.requests.contains { $0.method == "POST" && $0.target.contains("uploadId") }, "\(name)")
        }
      }
    }
  }

  private static func head(_ id: JobID) -> LoopbackPeer.Reply {
    .answer(200, ["x-amz-meta-waybill-id": id.description, "Content-Length": "\(size)", "ETag": "\"h-1\""])
  }

  /// Completes: the answer, and whether it is S3's. Ceph 16 gives no ETag.
  private static let completes: [(name: String, reply: LoopbackPeer.Reply, isProof: Bool)] = [
    ("as S3", .document("CompleteMultipartUploadResult", "<ETag>\"e-1\"</ETag>"), true),
    ("bare ETag", .document("CompleteMultipartUploadResult", "<ETag>e-1</ETag>"), true),
    ("no ETag", .document("CompleteMultipartUploadResult", "<ETag></ETag>"), false),
    ("weak ETag", .document("CompleteMultipartUploadResult", "<ETag>W/\"e-1\"</ETag>"), false),
    ("201", .answer(201, [:], "<CompleteMultipartUploadResult><ETag>e</ETag></CompleteMultipartUploadResult>"), false),
    ("204", .answer(204), false), ("nothing", .answer(200), false),
    ("page", .answer(200, page, "<html></html>"), false), ("another document", .document("Other", ""), false),
  ]

  @Test func completeNeedsHeadConfirmation() async throws {
    for complete in Self.completes {
      let heads: [(String, Bool, LoopbackPeer.Reply?)] = [
        ("ours", true, nil), ("nothing", false, .answer(404)), ("no id", false, .answer(200, ["Content-Length": "3"])),
        ("page", false, .answer(404, Self.page)), ("refused", complete.isProof, .answer(403)),
      ]
      // An answer that is proof and one that is none meet each, the others one that shows the object and one that does not.
      for (name, shows, reply) in ["as S3", "201"].contains(complete.name) ? heads[...] : heads[...1] {
        let object = try PartFile(size: Self.size).object()
        let peer = try peer { request, isCompleted in
          guard isCompleted else { return nil }
          return request.method == "HEAD"
            ? reply ?? Self.head(object.id) : request.method == "POST" ? complete.reply : nil
        }
        let result = await (try TestBucket.inParts(peer.url, isProven: false)).upload(object)
        if shows {
          #expect(throws: Never.self, "\(complete.name), \(name)") { try result.get() }
        } else {
          let failure = try result.requireFailed()
          #expect(failure.kind == (complete.name == "another document" ? .transient : .destination), "\(failure)")
          #expect(
            failure.words.contains(Self.unproven) && failure.mayHaveActed, "\(complete.name), \(name): \(failure)")
        }
        #expect(peer.requests.last?.method == "HEAD")
      }
    }
  }

  @Test func webServerCreateIsDestinationFailure() async throws {
    for reply in [LoopbackPeer.Reply.answer(204), .answer(200), .answer(201), .answer(200, Self.page, "<html></html>")]
    {
      let peer = try peer { request, _ in request.method == "POST" ? reply : nil }
      let failure = try await TestBucket.inParts(peer.url).upload(PartFile(size: Self.size).object()).requireFailed()
      #expect(failure.kind == .destination && failure.words.contains(Self.unproven), "\(failure)")
    }
  }

  private enum Step {
    case begin, part, complete

    init?(_ request: LoopbackPeer.Request) {
      switch request.method {
      case "POST": self = request.target.contains("?uploads") ? .begin : .complete
      case "PUT": self = .part
      default: return nil
      }
    }
  }

  private static func begun(_ id: String) -> LoopbackPeer.Reply {
    .document("InitiateMultipartUploadResult", "<UploadId>\(id)</UploadId>")
  }

  private static func endless(_ start: String, _ byte: UInt8) -> LoopbackPeer.Reply {
    .raw(Array("HTTP/1.1 200 OK\r\n\r\n\(start)".utf8), .forever(Array(repeating: byte, count: 8192)))
  }

  private static let laughing =
    "<!DOCTYPE x [<!ENTITY a \"haha\"><!ENTITY b \"&a;&a;&a;&a;&a;&a;&a;&a;\">]><x><UploadId>&b;</UploadId></x>"

  /// Answers that no honest storage gives, and the failure of the file that meets one; nil if it is stored all the same.
  private static let lies: [(step: Step, reply: LoopbackPeer.Reply, kind: Jobs.Failure.Kind?)] = [
    (.begin, .document("InitiateMultipartUploadResult", ""), .transient), (.begin, begun(""), .transient),
    (.begin, endless("<InitiateMultipartUploadResult><UploadId>", 0x75), .transient),
    (.begin, .answer(200, [:], laughing), .transient),
    (.begin, .document("Error", "<Code>SlowDown</Code>"), .unavailable),
    (.begin, .document("CompleteMultipartUploadResult", "<ETag>e</ETag>"), .transient),
    (.begin, .answer(307, ["Location": "/there"]), .destination),
    // An id goes back as it came, and is no part of a request's line, of a header or of another parameter.
    (.begin, begun("u/../..?x=1&amp;uploads#&#x20;%2e%2e+é"), nil),
    (.begin, begun("u HTTP/1.1&#13;&#10;X-Evil: 1&#13;&#10;&#13;&#10;DELETE /"), nil),
    (.part, .answer(200, ["ETag": "\"</ETag></Part><Part><PartNumber>2</PartNumber>&laugh;\u{9B}2J\""]), nil),
    (.part, .answer(307, ["Location": "/there"]), .destination), (.part, endless("", 0x20), .destination),
    (.part, .answer(503), .unavailable),
    (.part, .answer(404, [:], "<Error><Code>NoSuchUpload</Code></Error>"), .transient),
    (.complete, .answer(200, [:], laughing), .transient), (.complete, .answer(412), .transient),
    (.complete, .answer(200, [:], "<CompleteMultipartUploadResult><ETag>e"), .transient),
    (.complete, .document("Error", "<Code>SlowDown</Code>"), .unavailable),
    (.complete, .document("Error", "<Code>InternalError</Code><Message>\u{9B}2J\u{202E}</Message>"), .transient),
    (.complete, .answer(307, ["Location": "/there"]), .destination),
    // A storage may send spaces while it is at work ("CompleteMultipartUpload" in the S3 API reference), but not for ever.
    (.complete, endless("", 0x20), .transient),
  ]

  @Test(arguments: lies.indices) func hostileAnswerMeansFailureOfItsKind(_ index: Int) async throws {
    let lie = Self.lies[index]
    let object = try PartFile(size: Self.size).object()
    let peer = try peer { request, isCompleted in
      if Step(request) == lie.step { return lie.reply }
      if request.method == "GET" { return .document("ListMultipartUploadsResult", "") }
      return request.method == "HEAD" && isCompleted && lie.kind == nil ? Self.head(object.id) : nil
    }
    let result = await (try TestBucket.inParts(peer.url, isProven: false)).upload(object)
    if let kind = lie.kind {
      #expect(try result.requireFailed().kind == kind)
    } else {
      #expect(throws: Never.self) { try result.get() }
    }
    #expect(peer.requests.allSatisfy { $0["X-Evil"] == nil })
    let paths = Set(peer.requests.filter { Step($0) != nil }.map { $0.target.prefix { $0 != "?" } })
    #expect(paths.count == 1)
  }

  private func clear(
    _ reply: @escaping @Sendable (LoopbackPeer.Request, _ wasDeleted: Bool, JobID) -> LoopbackPeer.Reply,
    uploadID: String? = nil
  ) async throws -> CleanupResult {
    let id = TestFile.newID()
    let wasDeleted = Atomic<Bool>(false)
    let peer = try LoopbackPeer { request in
      if request.method == "DELETE" { wasDeleted.store(true, ordering: .releasing) }
      return reply(request, wasDeleted.load(ordering: .acquiring), id)
    }
    let object = Cleanup(id: id, bucket: "documents", key: "\(id)/a", aim: .remove, uploadID: uploadID)
    return await (try TestBucket.make(peer.url)).clear(object)
  }

  @Test(arguments: [200, 201, 202, 203, 204, 206, 207])
  func headConfirmsUnprovenDeletion(_ status: Int) async throws {
    for body in ["", "<html></html>"] where status != 204 || body.isEmpty {
      let isProof = body.isEmpty && (status == 204 || status == 200)
      let kept = try await clear { request, _, id in
        request.method == "DELETE" ? .answer(status, [:], body) : Self.found(request, id)
      }
      switch kept {
      case .removed: #expect(isProof, "\(status) \(body)")
      case .failed(let failure, _):
        #expect(
          !isProof && failure.words == "DELETE was accepted, but HEAD still shows the object", "\(status) \(body)")
      default: Issue.record("\(status) \(body): \(kept)")
      }
      let gone = try await clear { request, wasDeleted, id in
        if request.method == "DELETE" { return .answer(status, [:], body) }
        return wasDeleted && request.method == "HEAD" ? .answer(404) : Self.found(request, id)
      }
      #expect(gone == .removed, "\(status) \(body)")
    }
  }

  private static func found(_ request: LoopbackPeer.Request, _ id: JobID) -> LoopbackPeer.Reply {
    request.method == "HEAD" ? head(id) : .document("ListMultipartUploadsResult", "")
  }

  @Test func webServerCannotProveDeletion() async throws {
    let servers: [LoopbackPeer.Reply] = [
      .answer(204), .answer(200, Self.page, "<html></html>"), .answer(404, Self.page, "<html></html>"),
      .answer(403, Self.page, "<html></html>"), .answer(201), .answer(302, ["Location": "/login"]),
    ]
    for (index, server) in servers.enumerated() {
      for uploadID in [nil, "u"] {
        let failure = try await clear({ _, _, _ in server }, uploadID: uploadID).requireFailed()
        #expect(failure.kind == .destination, "\(index): \(failure)")
      }
    }
  }
}
