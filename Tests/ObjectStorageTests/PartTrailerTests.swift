import ChildProcesses
import Jobs
import LoopbackPeer
import Settings
import Synchronization
import Testing

@testable import ObjectStorage

/// The same for parts: each has its CRC behind its bytes, and Complete names them.
@Suite(.slot) struct PartTrailerTests {
  private static let size = 2 * PartFile.partSize + 3

  private static func document(
    _ root: String, _ content: String, _ headers: [String: String] = [:]
  ) -> LoopbackPeer.Reply {
    .answer(200, headers.merging(["Content-Type": "application/xml"]) { $1 }, "<\(root)>\(content)</\(root)>")
  }

  /// A server of one upload in parts; a closure answers the parts.
  private static func peer(
    listing: String = "", takesWhole: Bool = true,
    _ part: @escaping @Sendable (LoopbackPeer.Request) -> LoopbackPeer.Reply
  ) throws -> LoopbackPeer {
    try LoopbackPeer { request in
      switch request.method {
      case "POST" where request.target.contains("uploads"):
        document(
          "InitiateMultipartUploadResult", "<UploadId>u</UploadId>",
          takesWhole ? ["x-amz-checksum-type": "FULL_OBJECT"] : [:])
      case "POST": document("CompleteMultipartUploadResult", "<ETag>\"e-3\"</ETag>")
      case "PUT": part(request)
      case "GET": document("ListPartsResult", listing)
      case "DELETE": .answer(204)
      default: .answer(404)
      }
    }
  }

  private static func sum(_ algorithm: ChecksumAlgorithm, _ bytes: [UInt8]) -> String {
    var sums = RunningSums(algorithm)
    sums.update(bytes)
    return sums.finish().base64 ?? ""
  }

  @Test(arguments: [ChecksumAlgorithm.crc32c, .crc64nvme], [false, true])
  func sandboxReceivesAllPartBytes(_ algorithm: ChecksumAlgorithm, _ digest: Bool) async throws {
    let sandbox = try await SandboxStorage()
    let bucket = try TestBucket.inParts(
      sandbox.url, checksum: algorithm, digest: digest, trailer: .on, partConcurrency: 2, isProven: false)
    let file = try PartFile(size: Self.size)
    let object = try file.object()
    let receipt = try await bucket.upload(object).get()
    let whole = try await SourceFile(opening: object).sums(
      count: file.size, RunningSums(algorithm), on: bucket.workers)
    #expect(receipt.checksum == Checksum(algorithm: algorithm.rawValue, type: .full, value: whole.base64 ?? ""))
    #expect(receipt.sha256 == (digest ? file.sha256 : nil))
    let stored = try await sandbox.object(object.key)
    #expect(stored["sha256"] as? String == file.sha256)
    #expect((stored["checksums"] as? [String: String])?[algorithm.rawValue] == whole.base64)
    #expect(try await sandbox.parts(object.key) == [1: 1, 2: 1, 3: 1])
    #expect(bucket.trailers.isProven)
    #expect(try receipt.isOf(file.file.open()) == true)
  }

  /// That of the whole object goes with it if Create's answer has said that it is taken: others refuse it after all bytes are sent.
  @Test(arguments: [true, false]) func completeListsTrailerChecksums(_ takesWhole: Bool) async throws {
    let peer = try Self.peer(takesWhole: takesWhole) { request in
      guard let decoded = try? FrameDecoder(request.body), let trailer = decoded.trailers.first,
        Self.sum(.crc64nvme, decoded.data) == trailer[1]
      else { return .answer(400) }
      return .answer(200, ["ETag": "\"e\"", trailer[0]: trailer[1]])
    }
    let bucket = try TestBucket.inParts(peer.url, checksum: .crc64nvme, trailer: .on)
    let receipt = try await bucket.upload(PartFile(size: Self.size).object()).get()
    let parts = try peer.requests.filter { $0.method == "PUT" }.map { try FrameDecoder($0.body) }
    #expect(parts.map(\.data.count) == [Int(PartFile.partSize), Int(PartFile.partSize), 3])
    let complete = try #require(peer.requests.last { $0.method == "POST" })
    let body = String(decoding: complete.body, as: UTF8.self)
    for part in parts { #expect(body.contains("<ChecksumCRC64NVME>\(part.trailers[0][1])</ChecksumCRC64NVME>")) }
    #expect(receipt.checksum?.value == Self.sum(.crc64nvme, parts.flatMap(\.data)))
    #expect(complete["x-amz-checksum-crc64nvme"] == (takesWhole ? receipt.checksum?.value : nil))
    #expect(complete["x-amz-checksum-type"] == (takesWhole ? "FULL_OBJECT" : nil))
  }

  /// Refused, kept with the frame, or shown with another checksum: each part is sent again with its checksum in a header.
  @Test(arguments: [
    LoopbackPeer.Reply.answer(501, [:], "<Error><Code>NotImplemented</Code></Error>"),
    .answer(400, [:], "<Error><Code>XAmzContentSHA256Mismatch</Code></Error>"),
    .answer(200, ["ETag": "\"framed\""]), .answer(200, ["ETag": "\"framed\"", "x-amz-checksum-crc32c": "AAAAAA=="]),
    .answer(200), .answer(201, ["ETag": "\"framed\""]),
  ])
  func resendsPartWithoutShownChecksum(_ reply: LoopbackPeer.Reply) async throws {
    let notices = Atomic<Int>(0)
    let peer = try Self.peer { $0["x-amz-trailer"] == nil ? .answer(200, ["ETag": "\"plain\""]) : reply }
    let bucket = try TestBucket.inParts(
      peer.url, checksum: .crc32c, trailer: .on, notice: { _ in notices.add(1, ordering: .relaxed) })
    let file = try PartFile(size: Self.size)
    _ = try await bucket.upload(file.object()).get()
    let parts = peer.requests.filter { $0.method == "PUT" }
    #expect(parts.map { $0["x-amz-trailer"] != nil } == [true, false, false, false])
    #expect(parts[0].target == parts[1].target)
    #expect(parts.dropFirst().reduce(0) { $0 + $1.body.count } == Int(Self.size))
    let complete = String(decoding: try #require(peer.requests.last).body, as: UTF8.self)
    #expect(!complete.contains("framed"))
    #expect(notices.load(ordering: .relaxed) == 1)
  }

  /// A part of an earlier attempt may be in its frame, so the file being the same is not enough.
  @Test(arguments: [true, false]) func listedPartNeedsChecksum(_ isShown: Bool) async throws {
    let file = try PartFile(size: PartFile.partSize)
    var object = try file.object()
    object.multipart = MultipartUpload(id: "u", partSize: PartFile.partSize, checksum: "crc32c", file: object.expected)
    let sums = try await SourceFile(opening: object).sums(
      count: PartFile.partSize, RunningSums(.crc32c), on: TestBucket.make("http://127.0.0.1").workers)
    let shown = isShown ? "<ChecksumCRC32C>\(sums.base64 ?? "")</ChecksumCRC32C>" : ""
    let listing =
      "<Part><PartNumber>1</PartNumber><ETag>\"l\"</ETag><Size>\(PartFile.partSize)</Size>\(shown)</Part>"
    let peer = try Self.peer(listing: listing) { _ in .answer(200, ["ETag": "\"e\""]) }
    _ = try await TestBucket.inParts(peer.url, checksum: .crc32c, trailer: .on).upload(object).get()
    let parts = peer.requests.filter { $0.method == "PUT" }
    #expect(parts.count == (isShown ? 0 : 1))
    #expect(parts.allSatisfy { $0["x-amz-trailer"] == nil && $0["x-amz-checksum-crc32c"] == sums.base64 })
  }

  @Test func detectsChangeBetweenParts() async throws {
    let file = try PartFile(size: Self.size)
    let object = try file.object()
    let peer = try Self.peer { request in
      if request.target.contains("partNumber=3") { try? file.file.truncate(to: Self.size + 1) }
      guard let trailer = (try? FrameDecoder(request.body))?.trailers.first else { return .answer(400) }
      return .answer(200, ["ETag": "\"e\"", trailer[0]: trailer[1]])
    }
    let bucket = try TestBucket.inParts(peer.url, checksum: .crc32c, trailer: .on)
    let (failure, _) = try await bucket.upload(object).requireChanged()
    #expect(failure.kind == .fileChanged)
    #expect(!peer.requests.contains { $0.method == "POST" && $0.target.contains("uploadId") })
  }
}
