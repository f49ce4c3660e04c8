import ChildProcesses
import Foundation
import HTTPTransfer
import Jobs
import LoopbackPeer
import Settings
import Synchronization
import Testing

@testable import ObjectStorage

/// A CRC behind the bytes of a single PUT: the file is read once, and whatever the storage makes of this form, an object counts
/// only if the storage shows the checksum.
@Suite(.slot) struct TrailerTests {
  /// More than is held in memory, and several chunks.
  private static let size = 2 * Int(ChunkedFrame.chunk) + 5
  private static let crcs = [ChecksumAlgorithm.crc32c, .crc64nvme]

  private static func value(_ algorithm: ChecksumAlgorithm, _ bytes: [UInt8]) -> String {
    var sums = RunningSums(algorithm)
    sums.update(bytes)
    return sums.finish().base64 ?? ""
  }

  /// A storage that takes chunks apart and shows the checksum that came behind them.
  private static func understand(_ request: LoopbackPeer.Request) -> LoopbackPeer.Reply {
    guard request["x-amz-content-sha256"] == ChunkedFrame.payloadHash else { return .answer(200, ["ETag": "\"e\""]) }
    guard let decoded = try? FrameDecoder(request.body), let trailer = decoded.trailers.first else {
      return .answer(400, [:], "<Error><Code>InvalidRequest</Code></Error>")
    }
    return .answer(200, ["ETag": "\"e\"", trailer[0]: trailer[1]])
  }

  @Test(arguments: crcs) func checksumFollowsBody(_ algorithm: ChecksumAlgorithm) async throws {
    let bytes = TestFile.bytes(Self.size)
    let peer = try LoopbackPeer(Self.understand)
    let bucket = try TestBucket.make(peer.url, checksum: algorithm, trailer: .on)
    let object = try TestFile(bytes).object()
    let receipt = try await bucket.upload(object).get()
    let value = Self.value(algorithm, bytes)
    #expect(receipt.checksum == Checksum(algorithm: algorithm.rawValue, type: .full, value: value))
    #expect(receipt.size == Int64(Self.size))
    let request = try #require(peer.requests.first)
    #expect(peer.requests.count == 1)
    let decoded = try FrameDecoder(request.body)
    #expect(decoded.data == bytes)
    #expect(decoded.trailers == [[algorithm.header, value]])
    #expect(request["x-amz-trailer"] == algorithm.header)
    #expect(request["x-amz-decoded-content-length"] == "\(Self.size)")
    #expect(request["Content-Encoding"] == "aws-chunked")
    #expect(request["Content-Length"] == "\(request.body.count)")
    #expect(request[algorithm.header] == nil)
    let signed = try #require(request["Authorization"])
    #expect(signed.contains("content-encoding;") && signed.contains(";x-amz-trailer"))
  }

  /// The sandbox checks signature, frame and checksum.
  @Test(arguments: crcs, [300_000, 1 << 20, (1 << 20) + 1, 3 << 20])
  func sandboxReceivesAllBytes(_ algorithm: ChecksumAlgorithm, _ size: Int) async throws {
    let sandbox = try await SandboxStorage()
    let bytes = TestFile.bytes(size)
    let object = try TestFile(bytes).object()
    let bucket = try TestBucket.make(sandbox.url, checksum: algorithm, trailer: .on, isProven: false)
    let receipt = try await bucket.upload(object).get()
    let stored = try await sandbox.object(object.key)
    #expect(stored["size"] as? Int == size)
    #expect((stored["checksums"] as? [String: String])?[algorithm.rawValue] == Self.value(algorithm, bytes))
    #expect(receipt.checksum?.value == Self.value(algorithm, bytes))
    #expect((stored["headers"] as? [String: String])?["content-encoding"] == nil)
    #expect(try await sandbox.count("upload") == 1)
    #expect(bucket.trailers.isProven)
  }

  @Test func trailerNeedsLargeFileAndCRC() async throws {
    let peer = try LoopbackPeer { _ in .answer(200, ["ETag": "\"e\""]) }
    let small = try TestFile(TestFile.bytes(Int(Payload.inMemoryLimitElsewhere)))
    let large = try TestFile(TestFile.bytes(Int(Payload.inMemoryLimitElsewhere) + 1))
    _ = try await TestBucket.make(peer.url, checksum: .crc32c, trailer: .on).upload(small.object()).get()
    _ = try await TestBucket.make(peer.url, checksum: .crc32c, trailer: .off).upload(large.object()).get()
    _ = try await TestBucket.make(peer.url, checksum: .crc32c).upload(large.object()).get()
    _ = try await TestBucket.make(peer.url, checksum: .sha256, trailer: .on).upload(large.object()).get()
    _ = try await TestBucket.make(peer.url, checksum: .crc32c, digest: true, trailer: .on).upload(large.object()).get()
    let encoded = ["Content-Encoding": "gzip"]
    _ = try await TestBucket.make(peer.url, headers: encoded, checksum: .crc32c, trailer: .on).upload(large.object())
      .get()
    #expect(peer.requests.count == 6)
    #expect(peer.requests.allSatisfy { $0["x-amz-trailer"] == nil })
  }

  /// Refusals of storages that do not know this form: Ceph 16, OpenStack Swift, and others.
  @Test(arguments: [
    (400, "XAmzContentSHA256Mismatch"), (501, "NotImplemented"), (403, "SignatureDoesNotMatch"),
    (400, "InvalidArgument"), (411, "MissingContentLength"), (400, "BadDigest"),
  ])
  func refusedTrailerFallsBackToHeader(_ status: Int, _ code: String) async throws {
    let notices = Mutex<[String]>([])
    let peer = try LoopbackPeer { request in
      request["x-amz-trailer"] == nil
        ? .answer(200, ["ETag": "\"e\""]) : .answer(status, [:], "<Error><Code>\(code)</Code></Error>")
    }
    let bytes = TestFile.bytes(Self.size)
    let bucket = try TestBucket.make(
      peer.url, checksum: .crc64nvme, trailer: .on, notice: { words in notices.withLock { $0.append(words) } })
    let sent = SentBytes()
    for _ in 0..<2 {
      var object = try TestFile(bytes).object()
      object.sent = sent
      let receipt = try await bucket.upload(object).get()
      #expect(receipt.checksum?.value == Self.value(.crc64nvme, bytes))
    }
    #expect(peer.requests.map { $0["x-amz-trailer"] != nil } == [true, false, false])
    #expect(peer.requests.dropFirst().allSatisfy { $0.body == bytes })
    #expect(sent.value == Int64(2 * bytes.count), "what was sent in vain counts no more")
    let said = notices.withLock { $0 }
    #expect(said.count == 1)
    #expect(said.first?.hasPrefix("storage.main does not take a checksum behind the bytes (HTTP \(status)") == true)
  }

  /// A refusal that says nothing about the form, and one that meets both forms, leave the setting alone.
  @Test(arguments: [(403, "AccessDenied", 1), (404, "NoSuchBucket", 1), (503, "SlowDown", 1), (400, "KeyTooLong", 2)])
  func generalRefusalKeepsTrailerOn(_ status: Int, _ code: String, _ count: Int) async throws {
    let peer = try LoopbackPeer { _ in .answer(status, [:], "<Error><Code>\(code)</Code></Error>") }
    let bucket = try TestBucket.make(peer.url, checksum: .crc64nvme, trailer: .on)
    let failure = try await bucket.upload(TestFile(TestFile.bytes(Self.size)).object()).requireFailed()
    #expect(failure.status == status)
    #expect(peer.requests.count == count)
    #expect(bucket.trailers.isOn)
  }

  /// A storage that keeps the frame as part of the object, shown as large as it is.
  @Test(arguments: [false, true]) func objectWithFrameNeverCounts(_ isProven: Bool) async throws {
    let storage = KeepingStorage()
    let peer = try LoopbackPeer { request in
      var look = request
      look.method = "HEAD"
      if request["If-None-Match"] != nil, case .answer(200, _, _) = storage.reply(look) {
        return .answer(412, [:], "<Error><Code>PreconditionFailed</Code></Error>")
      }
      return storage.reply(request)
    }
    let bytes = TestFile.bytes(Self.size)
    let bucket = try TestBucket.make(peer.url, checksum: .crc32c, trailer: .on, isProven: isProven)
    let receipt = try await bucket.upload(TestFile(bytes).object()).get()
    #expect(receipt.checksum?.value == Self.value(.crc32c, bytes))
    let puts = peer.requests.filter { $0.method == "PUT" }
    #expect(puts.map { $0["x-amz-trailer"] != nil } == [true, false, false])
    #expect(puts.last?.body == bytes, "the last one is what is kept")
    #expect(puts.last?["If-None-Match"] == nil)
    #expect(!bucket.trailers.isOn)
  }

  /// One that keeps only as many bytes of the frame as the object is to have: its size is right, its bytes are not.
  @Test(arguments: [nil, "AAAAAA=="]) func sizeAloneProvesNothing(_ shown: String?) async throws {
    let object = try TestFile(TestFile.bytes(Self.size)).object()
    let isThere = Atomic<Bool>(false)
    let peer = try LoopbackPeer { request in
      if request.method == "HEAD" {
        return .answer(200, ["x-amz-meta-waybill-id": object.id.description, "Content-Length": "\(Self.size)"])
      }
      if isThere.exchange(true, ordering: .acquiringAndReleasing), request["If-None-Match"] != nil {
        return .answer(412, [:], "<Error><Code>PreconditionFailed</Code></Error>")
      }
      let isFramed = request["x-amz-trailer"] != nil
      return .answer(
        200, ["ETag": "\"e\""].merging(isFramed ? shown.map { ["x-amz-checksum-crc32c": $0] } ?? [:] : [:]) { $1 })
    }
    let bucket = try TestBucket.make(peer.url, checksum: .crc32c, trailer: .on)
    _ = try await bucket.upload(object).get()
    #expect(peer.requests.map(\.method) == ["PUT", "PUT", "HEAD", "PUT"])
    #expect(peer.requests.last?["x-amz-trailer"] == nil)
    #expect(peer.requests.last?.body.count == Self.size)
  }

  /// What was stored in a frame is there even if the second request is refused for good: a cancel has to look for it.
  @Test(arguments: [200, 400]) func fallbackFailureReportsPossibleObject(_ first: Int) async throws {
    let peer = try LoopbackPeer { request in
      if request["x-amz-trailer"] != nil { return .answer(first, first == 200 ? ["ETag": "\"e\""] : [:]) }
      return .answer(403, [:], "<Error><Code>AccessDenied</Code></Error>")
    }
    let bucket = try TestBucket.make(peer.url, checksum: .crc32c, trailer: .on)
    let failure = try await bucket.upload(TestFile(TestFile.bytes(Self.size)).object()).requireFailed()
    #expect(failure.status == 403)
    #expect(failure.mayHaveActed == (first == 200))
    #expect(bucket.trailers.isOn == (first != 200))
  }

  /// After a lost answer the object that is there counts only if it shows its checksum.
  @Test(arguments: [true, false]) func lostResponseNeedsShownChecksum(_ isShown: Bool) async throws {
    let bytes = TestFile.bytes(Self.size)
    var object = try TestFile(bytes).object()
    object.mayBeStored = true
    let id = object.id.description
    let peer = try LoopbackPeer { request in
      guard request.method == "HEAD" else { return .answer(200, ["ETag": "\"e\""]) }
      let facts = ["x-amz-meta-waybill-id": id, "Content-Length": "\(Self.size)", "ETag": "\"h\""]
      let sum = ["x-amz-checksum-crc32c": Self.value(.crc32c, bytes)]
      return .answer(200, isShown ? facts.merging(sum) { $1 } : facts)
    }
    let bucket = try TestBucket.make(peer.url, checksum: .crc32c, trailer: .on)
    let receipt = try await bucket.upload(object).get()
    #expect(receipt.etag == (isShown ? "h" : "e"))
    #expect(peer.requests.map(\.method) == (isShown ? ["HEAD"] : ["HEAD", "PUT"]))
  }

  @Test func headSettlesExistingObject() async throws {
    let bytes = TestFile.bytes(Self.size)
    let object = try TestFile(bytes).object()
    let peer = try LoopbackPeer { request in
      guard request.method == "HEAD" else {
        return .answer(412, [:], "<Error><Code>PreconditionFailed</Code></Error>")
      }
      return .answer(
        200,
        [
          "x-amz-meta-waybill-id": object.id.description, "Content-Length": "\(Self.size)", "ETag": "\"h\"",
          "x-amz-checksum-crc32c": Self.value(.crc32c, bytes),
        ])
    }
    let receipt = try await TestBucket.make(peer.url, checksum: .crc32c, trailer: .on).upload(object).get()
    #expect(receipt.etag == "h")
    #expect(peer.requests.map(\.method) == ["PUT", "HEAD"])
  }

  /// The next attempt sends the file as it is then, from its first byte on.
  @Test func retryRebuildsBody() async throws {
    let bytes = TestFile.bytes(Self.size)
    let object = try TestFile(bytes).objectOfItsOwn()
    let count = Atomic<Int>(0)
    let peer = try LoopbackPeer { request in
      if request.method == "HEAD" {
        return .answer(200, ["x-amz-meta-waybill-id": object.id.description, "Content-Length": "\(Self.size)"])
      }
      count.add(1, ordering: .relaxed)
      return count.load(ordering: .relaxed) == 1 ? .answer(503) : Self.understand(request)
    }
    let bucket = try TestBucket.make(peer.url, checksum: .crc64nvme, trailer: .on)
    _ = try await bucket.upload(object).requireFailed()
    let receipt = try await bucket.upload(object).get()
    #expect(receipt.checksum?.value == Self.value(.crc64nvme, bytes))
    #expect(peer.requests.map(\.method) == ["PUT", "PUT", "HEAD"])
    for request in peer.requests.dropLast() { #expect(try FrameDecoder(request.body).data == bytes) }
  }

  /// libcurl sends a request once more by itself if a kept connection is dead: sum and frame begin anew.
  @Test func libcurlResendsWholeBody() async throws {
    let bytes = TestFile.bytes(Self.size)
    let file = try TestFile(bytes)
    let count = Atomic<Int>(0)
    let peer = try LoopbackPeer { request in
      count.add(1, ordering: .relaxed)
      return count.load(ordering: .relaxed) == 2 ? .cut : Self.understand(request)
    }
    let bucket = try TestBucket.make(peer.url, checksum: .crc64nvme, trailer: .on)
    for _ in 0..<2 {
      let receipt = try await bucket.upload(file.object()).get()
      #expect(receipt.checksum?.value == Self.value(.crc64nvme, bytes))
    }
    #expect(peer.requests.count == 3)
    for request in peer.requests { #expect(try FrameDecoder(request.body).data == bytes) }
  }

  @Test func detectsTruncationDuringUpload() async throws {
    let file = try TestFile([])
    try file.truncate(to: 64 << 20)  // more than sockets hold back
    let object = try file.object()
    let peer = try LoopbackPeer(onHead: { _ in Self.record { try file.truncate(to: 10) } }, Self.understand)
    let bucket = try TestBucket.make(peer.url, checksum: .crc32c, trailer: .on)
    let (failure, now) = try await bucket.upload(object).requireChanged()
    #expect(failure.kind == .fileChanged)
    #expect(now.size == 10)
    #expect(peer.requests.isEmpty)
  }

  @Test func detectsGrowthDuringUpload() async throws {
    let file = try TestFile(TestFile.bytes(Self.size))
    let object = try file.object()
    let peer = try LoopbackPeer(
      onHead: { _ in Self.record { try file.truncate(to: Int64(Self.size + 1)) } }, Self.understand)
    let bucket = try TestBucket.make(peer.url, checksum: .crc32c, trailer: .on)
    let (failure, now) = try await bucket.upload(object).requireChanged()
    #expect(failure.kind == .fileChanged)
    #expect(now.size == Int64(Self.size + 1))
    #expect(peer.requests.count == 1)
  }

  @Test func detectsWritesDuringUpload() async throws {
    let file = try TestFile(TestFile.bytes(Self.size))
    let object = try file.object()
    let peer = try LoopbackPeer { request in
      Self.record { try file.write(Array(repeating: 7, count: Self.size)) }
      return Self.understand(request)
    }
    let bucket = try TestBucket.make(peer.url, checksum: .crc32c, trailer: .on)
    let (failure, _) = try await bucket.upload(object).requireChanged()
    #expect(failure.kind == .fileChanged)
  }

  @Test func cancellationCutsRunningUpload() async throws {
    let file = try TestFile([])
    try file.truncate(to: 64 << 20)
    let object = try file.object()
    let upload = Mutex<Task<Result<UploadReceipt, UploadFailure>, Never>?>(nil)
    let peer = try LoopbackPeer(onHead: { _ in upload.withLock { $0?.cancel() } }, Self.understand)
    let bucket = try TestBucket.make(peer.url, checksum: .crc32c, trailer: .on)
    let task = upload.withLock { slot in
      let task = Task { await bucket.upload(object) }
      slot = task
      return task
    }
    #expect(await task.value == .failure(.cut))
    #expect(peer.requests.isEmpty)
  }

  private static func record(_ body: () throws -> Void) {
    do {
      try body()
    } catch {
      Issue.record(error)
    }
  }
}
