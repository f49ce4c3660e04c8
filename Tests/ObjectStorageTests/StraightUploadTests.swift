import ChildProcesses
import Foundation
import HTTPTransfer
import Jobs
import LoopbackPeer
import OpenSSL
import Synchronization
import Testing

@testable import ObjectStorage

/// A file that is sent by one PUT goes a straight way, and anything but a plain success goes on on the general way: both have to end alike, after the
/// same requests.
@Suite(.slot) struct StraightUploadTests {
  private static let bytes: [UInt8] = [1, 2, 3]
  private static let ok = LoopbackPeer.Reply.answer(200, ["ETag": "\"e\""])
  private static let now = Timestamp(year: 2026, month: 11, day: 21, hour: 1, minute: 2, second: 3)

  enum Head: CaseIterable {
    case ours, another, nothing, refused, busy

    func reply(_ id: JobID) -> LoopbackPeer.Reply {
      let header = "x-amz-meta-waybill-id"
      return switch self {
      case .ours: .answer(200, [header: id.description, "Content-Length": "3", "ETag": "\"e\""])
      case .another: .answer(200, [header: "0190163d-8694-7c12-8d11-000000000000", "Content-Length": "3"])
      case .nothing: .answer(404)
      case .refused: .answer(403)
      case .busy: .answer(503)
      }
    }
  }

  /// Answers to the first PUT, any later one is answered well: what may be a success, and some of what is none. Which failure each status
  /// and code is, `AnswerTableTests` and `RefusalTests` say.
  private static let answers: [(name: String, reply: LoopbackPeer.Reply)] =
    statuses.map { ("\($0)", .answer($0, ["ETag": "\"e\""])) }
    + statuses.map { ("\($0) without ETag", .answer($0, ["Retry-After": "7", "Location": "/elsewhere"])) }
    + refusals.map { ("\($0) \($1)", .answer($0, [:], "<Error><Code>\($1)</Code><Message>Words.</Message></Error>")) }
    + oddities

  private static let statuses = [200, 201, 204, 206, 307, 400, 403, 404, 412, 429, 500, 503]

  private static let refusals = [
    (403, "InvalidAccessKeyId"), (400, "ExpiredToken"), (404, "NoSuchBucket"), (403, "RequestTimeTooSkewed"),
    (400, "BadDigest"), (409, "ConditionalRequestConflict"), (412, "PreconditionFailed"), (200, "SlowDown"),
  ]

  private static let oddities: [(name: String, reply: LoopbackPeer.Reply)] = [
    ("weak", .answer(200, ["ETag": "W/\"5f\""])), ("bare", .answer(200, ["ETag": "e"])),
    ("empty", .answer(200, ["ETag": "\"\""])),
    ("two", .raw(Array("HTTP/1.1 200 OK\r\nETag: \"a\"\r\nETag: \"b\"\r\nContent-Length: 0\r\n\r\n".utf8), .next)),
    ("page", .answer(200, ["ETag": "\"e\"", "Content-Type": "text/html"], "<html></html>")),
    ("JSON", .answer(200, ["ETag": "\"e\""], "{}")),
    ("version", .answer(200, ["ETag": "\"e\"", "x-amz-version-id": "3/L4kqtJlcpXroDTDmJ"])),
    ("long version", .answer(200, ["ETag": "\"e\"", "x-amz-version-id": String(repeating: "v", count: 1025)])),
    ("sum of other bytes", .answer(200, ["ETag": "\"e\"", "x-amz-checksum-sha256": "AAAA"])),
    ("sum of parts", .answer(200, ["ETag": "\"e\"", "x-amz-checksum-sha256": "AAAA-2"])),
    ("other clock", .answer(403, ["Date": "Sat, 21 Nov 2026 03:02:03 GMT"])),
    (
      "condition refused",
      .answer(
        501, [:], "<Error><Code>NotImplemented</Code><Message>x</Message><Header>If-None-Match</Header></Error>")
    ),
    (
      "another header refused",
      .answer(
        501, [:], "<Error><Code>NotImplemented</Code><Message>x</Message><Header>x-amz-tagging</Header></Error>")
    ),
    ("cut", .cut), ("no HTTP", .raw(Array("SSH-2.0-OpenSSH\r\n".utf8), .close)),
    ("cut in its body", .raw(Array("HTTP/1.1 200 OK\r\nETag: \"e\"\r\nContent-Length: 5\r\n\r\nab".utf8), .close)),
    ("cut refusal", .raw(Array("HTTP/1.1 503 Busy\r\nContent-Length: 500\r\n\r\n<Error>".utf8), .close)),
  ]

  private struct Outcome: Equatable {
    var result: Result<UploadReceipt, UploadFailure>
    var requests: [[String?]]
    var isProven: Bool
    var takesCondition: Bool
    var keepsCondition: Bool
    var notices: [String]
  }

  /// A storage that answers the first PUT of each bucket in a given way.
  private final class Storage: Sendable {
    let id: JobID
    let answer: LoopbackPeer.Reply
    let head: Head
    let meanwhile: @Sendable (S3Bucket) -> Void
    private let puts = Mutex(0)
    private let bucket = Mutex<S3Bucket?>(nil)
    private let notices = Mutex<[String]>([])

    init(
      _ id: JobID, _ answer: LoopbackPeer.Reply, _ head: Head, meanwhile: @escaping @Sendable (S3Bucket) -> Void
    ) {
      self.id = id
      self.answer = answer
      self.head = head
      self.meanwhile = meanwhile
    }

    func reply(_ request: LoopbackPeer.Request) -> LoopbackPeer.Reply {
      switch request.method {
      case "HEAD": return head.reply(id)
      case "PUT":
        #expect(Hex.text(SHA256.hash(data: request.body)) == request["x-amz-content-sha256"])
        let number = puts.withLock { puts in
          puts += 1
          return puts
        }
        guard number == 1 else { return StraightUploadTests.ok }
        if let bucket = bucket.withLock(\.self) { meanwhile(bucket) }
        return answer
      default: return .answer(404, [:], "<Error><Code>NoSuchKey</Code></Error>")
      }
    }

    /// One attempt with a bucket of its own: on the straight way as a task of the transfer thread, as in the daemon.
    func outcome(_ object: ObjectToStore, at peer: LoopbackPeer, overwrite: Bool) async throws -> Outcome {
      puts.withLock { $0 = 0 }
      notices.withLock { $0 = [] }
      let before = peer.requests.count
      let bucket = try TestBucket.make(
        peer.url, overwrite: overwrite, notice: { words in self.notices.withLock { $0.append(words) } },
        now: { StraightUploadTests.now })
      self.bucket.withLock { $0 = bucket }
      defer { self.bucket.withLock { $0 = nil } }
      #expect(bucket.isStraight(object) == object.isLocal)
      let result =
        object.isLocal
        ? await withTaskExecutorPreference(bucket.transport.tasks) { await bucket.upload(object) }
        : await bucket.upload(object)
      let requests = peer.requests.dropFirst(before).map { request in
        [request.method, request.target, request["If-None-Match"], request["x-amz-date"]]
      }
      return Outcome(
        result: result, requests: requests, isProven: bucket.trust.isProven,
        takesCondition: bucket.trust.takesCondition, keepsCondition: bucket.trust.keepsCondition,
        notices: notices.withLock(\.self))
    }
  }

  private func outcomes(
    _ answer: LoopbackPeer.Reply, _ head: Head, overwrite: Bool, bytes: [UInt8] = Self.bytes,
    meanwhile: @escaping @Sendable (S3Bucket, TestFile) -> Void = { _, _ in },
    before: (TestFile) throws -> Void = { _ in }
  ) async throws -> (general: Outcome, straight: Outcome) {
    let file = try TestFile(bytes)
    let id = TestFile.newID()
    let storage = Storage(id, answer, head) { meanwhile($0, file) }
    let peer = try LoopbackPeer { storage.reply($0) }
    var outcomes: [Outcome] = []
    for isLocal in [false, true] {
      try before(file)
      var object = try file.object(key: "\(id)/ü.pdf", id: id)
      object.isLocal = isLocal
      outcomes.append(try await storage.outcome(object, at: peer, overwrite: overwrite))
    }
    return (outcomes[0], outcomes[1])
  }

  @Test(arguments: Head.allCases, [false, true])
  func answersMeanTheSame(_ head: Head, _ overwrite: Bool) async throws {
    var receipts = 0
    for (name, reply) in Self.answers {
      let (general, straight) = try await outcomes(reply, head, overwrite: overwrite)
      #expect(general == straight, "\(name)")
      #expect(!straight.requests.isEmpty, "\(name)")
      if case .success = straight.result { receipts += 1 }
    }
    #expect(receipts >= 3, "a plain success, one with a version, one with a sum that cannot be compared")
  }

  /// Of files that are read once or twice, and hashed on either thread.
  @Test(arguments: [0, 16 << 10, (16 << 10) + 1, 64 << 10, (64 << 10) + 1, 300_000])
  func sizesMeanTheSame(_ size: Int) async throws {
    let bytes = (0..<size).map { UInt8(truncatingIfNeeded: $0 &* 31 &+ $0 >> 8) }
    let (general, straight) = try await outcomes(Self.ok, .nothing, overwrite: false, bytes: bytes)
    #expect(general == straight)
    #expect(straight.requests.map { $0[0] } == ["PUT"])
    #expect(throws: Never.self) { try straight.result.get() }
  }

  /// The storage had a problem while the request was under way, so that its answer alone is no proof.
  @Test(arguments: Head.allCases) func doubtMeanwhileCounts(_ head: Head) async throws {
    let (general, straight) = try await outcomes(Self.ok, head, overwrite: false) { bucket, _ in bucket.trust.doubt() }
    #expect(general == straight)
    #expect(straight.requests.map { $0[0] } == ["PUT", "HEAD"])
  }

  /// Another job found out meanwhile that the storage does not take the condition.
  @Test(arguments: ["condition refused", "200", "412 PreconditionFailed"])
  func conditionGivenUpMeanwhile(_ name: String) async throws {
    let reply = try #require(Self.answers.first { $0.name == name }?.reply)
    let (general, straight) = try await outcomes(reply, .nothing, overwrite: false) { bucket, _ in
      bucket.trust.giveUpCondition("no")
    }
    #expect(general == straight)
  }

  @Test func touchedFileIsCompared() async throws {
    let (general, straight) = try await outcomes(Self.ok, .ours, overwrite: false) { _, file in
      #expect(throws: Never.self) {
        try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: file.path)
      }
    }
    #expect(general == straight)
    #expect(throws: Never.self) { try straight.result.get() }
  }

  @Test(arguments: ["200", "503", "400 BadDigest", "412 PreconditionFailed", "204"])
  func changedFileIsFound(_ name: String) async throws {
    let reply = try #require(Self.answers.first { $0.name == name }?.reply)
    let (general, straight) = try await outcomes(
      reply, .ours, overwrite: false,
      meanwhile: { _, file in #expect(throws: Never.self) { try file.write([4, 5, 6, 7]) } },
      before: { try $0.write(Self.bytes) })
    // The time of the change is told in words, and differs.
    #expect(general.requests == straight.requests)
    switch (general.result, straight.result) {
    case (.failure(.changed(let one, let old)), .failure(.changed(let other, let new))):
      #expect(one.kind == other.kind && old.size == new.size)
    default: #expect(general.result == straight.result)
    }
  }

  @Test func unreadableFilesFailAlike() async throws {
    let peer = try LoopbackPeer { _ in Self.ok }
    let file = try TestFile(Self.bytes)
    var failures: [UploadFailure] = []
    for isLocal in [false, true] {
      var object = try file.objectOfItsOwn()
      object.isLocal = isLocal
      let bucket = try TestBucket.make(peer.url)
      #expect(bucket.isStraight(object) == isLocal)
      object.expected.size += 1
      if case .failure(let failure) = await bucket.upload(object) { failures.append(failure) }
    }
    #expect(failures.count == 2 && failures[0] == failures[1])
    #expect(peer.requests.isEmpty)
  }

  @Test func othersGoTheGeneralWay() throws {
    let file = try TestFile(Self.bytes)
    let bucket = try TestBucket.make("http://127.0.0.1:1")
    func isStraight(_ change: (inout ObjectToStore) -> Void) throws -> Bool {
      var object = try file.objectOfItsOwn()
      object.isLocal = true
      change(&object)
      return bucket.isStraight(object)
    }
    #expect(try isStraight { _ in })
    #expect(try !isStraight { $0.isLocal = false })
    #expect(try !isStraight { $0.isProbe = true })
    #expect(try !isStraight { $0.mayBeStored = true })
    #expect(try !isStraight { $0.key = "name" })
    #expect(try isStraight { $0.expected.size = 5 << 20 })
    #expect(try !isStraight { $0.expected.size = 5 << 30 })
    #expect(
      try !isStraight {
        $0.multipart = MultipartUpload(id: "u", partSize: 5 << 20, checksum: "sha256", file: $0.expected)
      })
    bucket.proveNext()
    #expect(try !isStraight { _ in })
  }
}
