import ChildProcesses
import Jobs
import LoopbackPeer
import Settings
import Synchronization
import Testing

@testable import ObjectStorage

/// Servers that answer well and may store nothing, request by request: an object counts as stored if and only if the answer is
/// S3's and, of the first one, HEAD shows it, or HEAD shows it where the answer is not S3's.
@Suite(.slot) struct ProofTests {
  private static let bytes: [UInt8] = [1, 2, 3]
  private static let unproven = "answers like a web server, not like an S3 storage"

  /// An answer to a PUT, and whether it is S3's. HEAD decides whatever the form of the answer is, so a few of those that are no proof
  /// stand for all.
  private static let puts: [(name: String, reply: LoopbackPeer.Reply, isProof: Bool)] = [
    ("201", .answer(201, ["ETag": "\"e\""]), false), ("204", .answer(204, ["ETag": "\"e\""]), false),
    ("as S3", .answer(200, ["ETag": "\"e\""]), true), ("nothing", .answer(200), false),
    ("weak", .answer(200, ["ETag": "W/\"5f-18c2\""]), false),
    ("page", .answer(200, ["ETag": "\"e\"", "Content-Type": "text/html"], "<html></html>"), false),
  ]

  private enum Head: CaseIterable {
    case ours, ofAnotherSize, ofNoSize, ofAnother, ofTwo, withoutId, nothing,
      pageNotFound, noContent, page, refused
    case pageRefused, elsewhere, busy, broken, cut

    func reply(_ id: JobID) -> LoopbackPeer.Reply {
      let ours = "x-amz-meta-waybill-id"
      let page = ["Content-Type": "text/html"]
      return switch self {
      case .ours: .answer(200, [ours: id.description, "Content-Length": "3", "ETag": "\"h\""])
      case .ofAnotherSize: .answer(200, [ours: id.description, "Content-Length": "4"])
      case .ofNoSize:
        .raw(Array("HTTP/1.1 200 OK\r\n\(ours): \(id)\r\n\r\n".utf8), .close)
      case .ofAnother: .answer(200, [ours: TestFile.newID().description, "Content-Length": "3"])
      case .ofTwo:
        .raw(
          Array("HTTP/1.1 200 OK\r\n\(ours): \(id)\r\n\(ours): other\r\nContent-Length: 3\r\n\r\n".utf8), .close)
      case .withoutId: .answer(200, ["Content-Length": "3", "ETag": "\"h\""])
      case .nothing: .answer(404)
      case .pageNotFound: .answer(404, page)
      case .noContent: .answer(204, [ours: id.description])
      case .page: .answer(200, page)
      case .refused: .answer(403)
      case .pageRefused: .answer(403, page)
      case .elsewhere: .answer(302, ["Location": "/login"])
      case .busy: .answer(503)
      case .broken: .answer(500)
      case .cut: .cut
      }
    }

    /// The kind of the failure that an attempt ends with; nil for a receipt.
    func kind(isProof: Bool) -> Failure.Kind? {
      switch self {
      case .ours: nil
      // Whoever may not look has nothing but the answer.
      case .refused: isProof ? nil : .destination
      case .busy: .unavailable
      case .broken, .cut: .transient
      case .ofAnotherSize, .ofNoSize, .ofAnother, .ofTwo, .withoutId, .nothing, .pageNotFound,
        .noContent, .page, .pageRefused, .elsewhere:
        .destination
      }
    }
  }

  @Test(arguments: [false, true], Head.allCases)
  private func firstObjectNeedsHeadProof(_ overwrite: Bool, _ head: Head) async throws {
    for put in Self.puts {
      let object = try TestFile(Self.bytes).object()
      let peer = try LoopbackPeer { $0.method == "HEAD" ? head.reply(object.id) : put.reply }
      let bucket = try TestBucket.make(peer.url, overwrite: overwrite, isProven: false)
      let result = await bucket.upload(object)
      switch head.kind(isProof: put.isProof) {
      case nil: #expect(throws: Never.self, "\(put.name)") { try result.get() }
      case let kind?:
        let failure = try result.requireFailed()
        #expect(failure.kind == kind, "\(put.name): \(failure.words)")
        #expect(failure.mayHaveActed, "\(put.name)")
        let reason = put.isProof && head == .elsewhere ? "redirects are not followed" : Self.unproven
        if kind == .destination { #expect(failure.words.contains(reason), "\(put.name): \(failure.words)") }
        if head == .ofNoSize { #expect(failure.words.contains("without its size"), "\(put.name): \(failure.words)") }
      }
      // libcurl asks once more by itself where a kept connection is closed without an answer
      #expect(Set(peer.requests.dropFirst().map(\.method)) == ["HEAD"], "\(put.name)")
      #expect(peer.requests.count == 2 || head == .cut)
    }
  }

  /// A proxy that sends answers in chunks omits the size. Our id and the ETag of the answer to the PUT are proof enough.
  @Test(arguments: [200, 201], ["\"e\"", "W/\"e\"", "\"other\"", ""])
  func sizeIsNotNeededBesideETag(_ status: Int, _ etag: String) async throws {
    let object = try TestFile(Self.bytes).object()
    let lines =
      ["x-amz-meta-waybill-id: \(object.id)", "Transfer-Encoding: chunked"] + (etag.isEmpty ? [] : ["ETag: \(etag)"])
    let head = "HTTP/1.1 200 OK\r\n" + lines.map { $0 + "\r\n" }.joined() + "\r\n"
    let peer = try LoopbackPeer {
      $0.method == "HEAD" ? .raw(Array(head.utf8), .close) : .answer(status, ["ETag": "\"e\""])
    }
    let result = await (try TestBucket.make(peer.url, isProven: false)).upload(object)
    let isSame = etag.hasSuffix("\"e\"")
    #expect(((try? result.get()) != nil) == isSame, "\(result)")
    #expect(peer.requests.map(\.method) == ["PUT", "HEAD"])
  }

  @Test func checksFirstObjectAndAfterFailure() async throws {
    let storage = KeepingStorage()
    let isDown = Atomic<Bool>(false)
    let peer = try LoopbackPeer { isDown.load(ordering: .acquiring) ? .answer(500) : storage.reply($0) }
    let bucket = try TestBucket.make(peer.url, isProven: false)
    let file = try TestFile(Self.bytes)
    for _ in 0..<3 { _ = try await bucket.upload(file.objectOfItsOwn()).get() }
    #expect(peer.requests.map(\.method) == ["PUT", "HEAD", "PUT", "PUT"])
    isDown.store(true, ordering: .releasing)
    _ = try await bucket.upload(file.objectOfItsOwn()).requireFailed()
    isDown.store(false, ordering: .releasing)
    for _ in 0..<2 { _ = try await bucket.upload(file.objectOfItsOwn()).get() }
    #expect(peer.requests.dropFirst(5).map(\.method) == ["PUT", "HEAD", "PUT"])
    bucket.proveNext()
    var probe = try file.objectOfItsOwn()
    for _ in 0..<2 { _ = try await bucket.upload(file.objectOfItsOwn()).get() }
    probe.isProbe = true
    _ = try await bucket.upload(probe).get()
    #expect(peer.requests.dropFirst(8).map(\.method) == ["PUT", "HEAD", "PUT", "PUT", "HEAD"])
  }

  @Test func reportsRefusedHeadOnce() async throws {
    let notices = Mutex<[String]>([])
    let peer = try LoopbackPeer { $0.method == "HEAD" ? .answer(403) : .answer(200, ["ETag": "\"e\""]) }
    let options = StorageSettings(peer.url)
    let bucket = try TestBucket.make(
      options, isProven: false, notice: { words in notices.withLock { $0.append(words) } })
    let file = try TestFile(Self.bytes)
    for _ in 0..<2 { _ = try await bucket.upload(file.objectOfItsOwn()).get() }
    bucket.proveNext()
    _ = try await bucket.upload(file.objectOfItsOwn()).get()
    #expect(peer.requests.map(\.method) == ["PUT", "HEAD", "PUT", "PUT", "HEAD"])
    let said = notices.withLock { $0 }
    #expect(said.count == 1)
    #expect(said.first?.hasPrefix("storage.main refuses HEAD (HTTP 403 (Forbidden) to HEAD") == true, "\(said)")
  }

  /// An object of ours with the same size may be of the bytes from before; only the ETag of the answer tells.
  @Test(arguments: [
    (201, "\"h\"", true), (200, "h", true), (200, "W/\"h\"", true), (200, "other", false), (204, "", false),
  ])
  func changedFileNeedsMatchingETag(_ status: Int, _ etag: String, _ counts: Bool) async throws {
    let object = try TestFile(Self.bytes).object(mayBeStale: true)
    let peer = try LoopbackPeer {
      $0.method == "HEAD" ? Head.ours.reply(object.id) : .answer(status, ["ETag": etag])
    }
    let result = await (try TestBucket.make(peer.url)).upload(object)
    #expect(((try? result.get()) != nil) == counts)
  }
}
