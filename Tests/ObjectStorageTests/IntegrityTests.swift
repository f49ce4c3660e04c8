import ChildProcesses
import Foundation
import Jobs
import LoopbackPeer
import OpenSSL
import Settings
import Testing

@testable import ObjectStorage

/// Checksums that travel with objects, and what becomes of bytes that are not there as they were sent.
@Suite(.slot) struct IntegrityTests {
  /// CRC-32C and CRC-64/NVME of "123456789", by the catalogue of CRC algorithms.
  private static let digits = Array("123456789".utf8)
  private static let crc32c = Data([0xE3, 0x06, 0x92, 0x83]).base64EncodedString()
  private static let crc64nvme = Data([0xAE, 0x8B, 0x14, 0x86, 0x0A, 0x79, 0x98, 0x88]).base64EncodedString()
  private static let ok = LoopbackPeer.Reply.answer(200, ["ETag": "\"e\""])

  @Test(arguments: [(.crc32c, crc32c), (.crc64nvme, crc64nvme), (.none, nil)] as [(ChecksumAlgorithm, String?)])
  func sendsCRCHeaderWithUnsignedPayload(_ algorithm: ChecksumAlgorithm, _ value: String?) async throws {
    let peer = try LoopbackPeer { _ in Self.ok }
    let receipt = try await TestBucket.make(peer.url, checksum: algorithm).upload(TestFile(Self.digits).object()).get()
    let request = try #require(peer.requests.first)
    #expect(request["x-amz-checksum-\(algorithm.rawValue)"] == value)
    let sent = request.headers.filter { $0[0].lowercased().hasPrefix("x-amz-checksum-") }
    #expect(sent.count == (value == nil ? 0 : 1), "S3 takes one algorithm, and a storage may refuse the header")
    #expect(request["x-amz-content-sha256"] == "UNSIGNED-PAYLOAD")
    #expect(receipt.checksum == value.map { Checksum(algorithm: algorithm.rawValue, type: .full, value: $0) })
    #expect(receipt.sha256 == nil)
  }

  @Test(arguments: [ChecksumAlgorithm.crc32c, .crc64nvme, .none], [9, 300_000])
  func digestHashesWholeFile(_ algorithm: ChecksumAlgorithm, _ size: Int) async throws {
    let peer = try LoopbackPeer { _ in Self.ok }
    let bytes = TestFile.bytes(size)
    let bucket = try TestBucket.make(peer.url, checksum: algorithm, digest: true)
    let receipt = try await bucket.upload(TestFile(bytes).object()).get()
    #expect(receipt.sha256 == Hex.text(SHA256.hash(data: bytes)))
    let request = try #require(peer.requests.first)
    #expect(request["x-amz-content-sha256"] == "UNSIGNED-PAYLOAD")
    #expect(request["x-amz-checksum-sha256"] == nil)
  }

  @Test(arguments: [ChecksumAlgorithm.sha256, .crc32c, .crc64nvme], ["AAAAAA==", ""])
  func putChecksumMismatchIsCorruption(_ algorithm: ChecksumAlgorithm, _ shown: String) async throws {
    let peer = try LoopbackPeer { _ in
      .answer(200, ["ETag": "\"e\"", "x-amz-checksum-\(algorithm.rawValue)": shown])
    }
    let bucket = try TestBucket.make(peer.url, checksum: algorithm)
    let failure = try await bucket.upload(TestFile(Self.digits).object()).requireCorrupted()
    #expect(failure.kind == .transient)
    #expect(failure.code == "ChecksumMismatch")
    #expect(
      failure.words
        == "the storage has different bytes of the object than were sent: its \(algorithm.rawValue) differs")
  }

  @Test func partChecksumMismatchAbortsUpload() async throws {
    let peer = try LoopbackPeer { request in
      switch request.method {
      case "HEAD": .answer(404)
      case "POST": .document("InitiateMultipartUploadResult", "<UploadId>u</UploadId>")
      case "PUT": .answer(200, ["ETag": "\"e\"", "x-amz-checksum-sha256": "AAAA"])
      default: .answer(204)
      }
    }
    let object = try PartFile(size: PartFile.partSize).object()
    let failure = try await TestBucket.inParts(peer.url).upload(object).requireCorrupted()
    #expect(failure.words == "the storage has different bytes of part 1 than were sent: its sha256 differs")
    #expect(peer.requests.last?.method == "DELETE")
  }

  @Test(arguments: ["AAAA", "AAAA-2"]) func completeChecksumMismatchIsCorruption(_ shown: String) async throws {
    let peer = try LoopbackPeer { request in
      switch (request.method, request.target.hasSuffix("uploads=")) {
      case ("HEAD", _): .answer(404)
      case ("POST", true): .document("InitiateMultipartUploadResult", "<UploadId>u</UploadId>")
      case ("POST", false):
        .document("CompleteMultipartUploadResult", "<ETag>\"e-2\"</ETag><ChecksumCRC32C>\(shown)</ChecksumCRC32C>")
      default: .answer(200, ["ETag": "\"e\""])
      }
    }
    let bucket = try TestBucket.inParts(peer.url, checksum: .crc32c)
    let object = try PartFile(size: 2 * PartFile.partSize).object()
    #expect(try await bucket.upload(object).requireCorrupted().code == "ChecksumMismatch")
  }

  @Test func resendsListedPartOnChecksumMismatch() async throws {
    let file = try PartFile(size: 2 * PartFile.partSize)
    var object = try file.object()
    object.multipart = MultipartUpload(id: "u", partSize: PartFile.partSize, checksum: "crc32c", file: object.expected)
    let second = try await SourceFile(opening: object).sums(
      at: PartFile.partSize, count: PartFile.partSize, RunningSums(.crc32c),
      on: TestBucket.make("http://127.0.0.1").workers)
    let sum = try #require(second.base64)
    let peer = try LoopbackPeer { request in
      switch request.method {
      case "HEAD": .answer(404)
      case "GET":
        .answer(
          200, [:],
          """
          <ListPartsResult><Part><PartNumber>1</PartNumber><ETag>"a"</ETag><Size>\(PartFile.partSize)</Size>\
          <ChecksumCRC32C>AAAAAA==</ChecksumCRC32C></Part><Part><PartNumber>2</PartNumber><ETag>"b"</ETag>\
          <Size>\(PartFile.partSize)</Size><ChecksumCRC32C>\(sum)</ChecksumCRC32C></Part></ListPartsResult>
          """)
      case "POST": .answer(200, [:], "<CompleteMultipartUploadResult><ETag>x</ETag></CompleteMultipartUploadResult>")
      default: .answer(200, ["ETag": "\"c\""])
      }
    }
    _ = try await TestBucket.inParts(peer.url, checksum: .crc32c).upload(object).get()
    let parts = peer.requests.filter { $0.method == "PUT" }.map(\.target)
    #expect(parts.count == 1)
    #expect(parts.first?.hasSuffix("?partNumber=1&uploadId=u") == true)
    let complete = String(decoding: try #require(peer.requests.last).body, as: UTF8.self)
    #expect(complete.contains("<PartNumber>1</PartNumber><ETag>&quot;c&quot;</ETag>"))
    #expect(complete.contains("<PartNumber>2</PartNumber><ETag>&quot;b&quot;</ETag><ChecksumCRC32C>\(sum)<"))
  }
}
