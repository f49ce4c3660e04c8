import ChildProcesses
import Foundation
import HTTPTransfer
import Jobs
import LoopbackPeer
import OpenSSL
import Settings
import Testing

@testable import ObjectStorage

/// An object with our id counts only by a checksum, or if this ledger has recorded an attempt on exactly the file as it is now: each
/// thing that HEAD may show, in each state of a job, on each way on which it is met.
@Suite(.slot) struct OccupancyTests {
  enum Known: CaseIterable {
    case nothing, attempts, attemptsBeforeChange, changeAlone, forgotten, forgottenAndMet, asked

    func tell(_ object: inout ObjectToStore) {
      object.mayBeStored = [.attempts, .attemptsBeforeChange, .forgotten, .forgottenAndMet].contains(self)
      object.mayBeStale = [.attemptsBeforeChange, .changeAlone, .forgottenAndMet].contains(self)
      object.mayBeForgotten = [.forgotten, .forgottenAndMet, .asked].contains(self)
    }
  }

  enum Shown: CaseIterable {
    case sameSHA256, otherSHA256, sameChecksum, otherChecksum, sizeAlone, otherSize, noSize, sameSHA256AndOtherChecksum

    static let file: [UInt8] = [1, 2, 3]
    private static let sha256 = Hex.text(SHA256.hash(data: file))

    /// The checksum is CRC-32C.
    var headers: [String: String] {
      var headers = ["ETag": "\"there\""]
      if self != .noSize { headers["Content-Length"] = self == .otherSize ? "4" : "3" }
      var sums = RunningSums(.crc32c)
      sums.update(Self.file)
      let crc = sums.finish().base64
      switch self {
      case .sameSHA256: headers[MetadataHeaders.sha256] = Self.sha256
      case .otherSHA256: headers[MetadataHeaders.sha256] = String(repeating: "0", count: 64)
      case .sameChecksum: headers["x-amz-checksum-crc32c"] = crc
      case .otherChecksum: headers["x-amz-checksum-crc32c"] = "AAAAAA=="
      case .sameSHA256AndOtherChecksum:
        headers[MetadataHeaders.sha256] = Self.sha256
        headers["x-amz-checksum-crc32c"] = "AAAAAA=="
      case .sizeAlone, .otherSize, .noSize: break
      }
      return headers
    }

    /// What it proves to a storage with this algorithm, if the file's SHA-256 is known.
    func bytes(_ algorithm: ChecksumAlgorithm) -> ShownObject.Bytes {
      switch self {
      case .sameSHA256: .same
      case .otherSHA256, .otherSize, .noSize: .other
      case .sameChecksum: algorithm == .crc32c ? .same : .unknown
      case .otherChecksum: algorithm == .crc32c ? .other : .unknown
      case .sameSHA256AndOtherChecksum: algorithm == .crc32c ? .other : .same
      case .sizeAlone: .unknown
      }
    }
  }

  /// The rule once more, as the contract has it.
  private func expected(_ bytes: ShownObject.Bytes, _ known: Known, isUntouched: Bool = true) -> Occupancy {
    if bytes == .same { return .counts }
    switch known {
    case .attempts: return bytes == .unknown && isUntouched ? .counts : .isReplaced
    case .nothing, .attemptsBeforeChange, .changeAlone, .forgottenAndMet: return .isReplaced
    case .forgotten, .asked: return .isOfForgottenJob
    }
  }

  @Test(arguments: ShownObject.Bytes.allCases, Known.allCases)
  func followsContract(_ bytes: ShownObject.Bytes, _ known: Known) throws {
    var object = try TestFile(Shown.file).object()
    known.tell(&object)
    for isUntouched in [false, true] {
      let occupancy = Occupancy(bytes, object, isUntouched: isUntouched)
      #expect(occupancy == expected(bytes, known, isUntouched: isUntouched), "\(isUntouched)")
    }
  }

  /// The same at a storage that answers 412 to each conditional PUT. What is written over has the file's bytes, and its SHA-256.
  @Test(arguments: Shown.allCases, Known.allCases)
  func storageIsAskedAccordingly(_ shown: Shown, _ known: Known) async throws {
    for algorithm in [ChecksumAlgorithm.sha256, .crc32c, .none] {
      var object = try TestFile(Shown.file).objectOfItsOwn()
      known.tell(&object)
      if algorithm != .sha256 { object.sha256 = Hex.text(SHA256.hash(data: Shown.file)) }
      let id = object.id.description
      let peer = try LoopbackPeer { request in
        guard request.method == "HEAD" else {
          return request["If-None-Match"] == nil ? .answer(200, ["ETag": "\"new\""]) : .answer(412)
        }
        let headers = shown.headers.merging([MetadataHeaders.id: id]) { $1 }
        // As behind a proxy that sends answers in chunks.
        guard shown == .noSize else { return .answer(200, headers) }
        let lines = headers.map { "\($0): \($1)\r\n" }.joined()
        return .raw(Array("HTTP/1.1 200 OK\r\n\(lines)\r\n".utf8), .close)
      }
      let result = await (try TestBucket.make(peer.url, checksum: algorithm)).upload(object)
      let requests = peer.requests.map { $0.method + ($0["If-None-Match"] == nil ? "" : "!") }
      let meeting = object.mayBeStored ? ["HEAD"] : ["PUT!", "HEAD"]
      let note: Comment = "\(algorithm): \(result)"
      if algorithm == .crc32c {
        #expect(peer.requests.first { $0.method == "HEAD" }?["x-amz-checksum-mode"] == "ENABLED", note)
      }
      switch expected(shown.bytes(algorithm), known) {
      case .counts:
        let receipt = try result.get()
        #expect(receipt.etag == "there", note)
        #expect(receipt.sha256 == (algorithm == .sha256 ? Hex.text(SHA256.hash(data: Shown.file)) : nil), note)
        #expect(requests == meeting, note)
      case .isReplaced:
        #expect(try result.get().etag == "new", note)
        #expect(requests == meeting + ["PUT"], note)
        #expect(peer.requests.last?.body == Shown.file, note)
        #expect(peer.requests.last?[MetadataHeaders.sha256] == Hex.text(SHA256.hash(data: Shown.file)), note)
      case .isOfForgottenJob:
        try result.requireCorrupted()
        #expect(requests == meeting, note)
      }
    }
  }

  /// The same for an object in parts, whose SHA-256 nobody knows before all is read.
  @Test(arguments: [ChecksumAlgorithm.sha256, .crc32c, .none], Known.allCases)
  func partsFollowTheSameRule(_ algorithm: ChecksumAlgorithm, _ known: Known) async throws {
    let sandbox = try await SandboxStorage()
    for hasSameBytes in [true, false] {
      let bucket = try TestBucket.inParts(sandbox.url, checksum: algorithm)
      let id = TestFile.newID()
      let file = try PartFile(size: PartFile.partSize + 3, key: "large/\(id)/a", id: id)
      var object = try file.object()
      _ = try await bucket.upload(object).get()
      if !hasSameBytes {
        let handle = try FileHandle(forWritingTo: URL(filePath: file.file.path))
        try handle.seek(toOffset: UInt64(file.size - 1))
        try handle.write(contentsOf: Data([0x2F]))
        try handle.close()
      }
      let sha256 = try PartFile.sha256(file.file.path)
      object = try file.object()
      object.multipart = nil
      known.tell(&object)
      let before = try await sandbox.object(object.key)["sha256"] as? String
      let begun = try await sandbox.count("create")
      let result = await bucket.upload(object)
      let bytes: ShownObject.Bytes = algorithm == .none ? .unknown : hasSameBytes ? .same : .other
      let note: Comment = "\(hasSameBytes): \(result)"
      switch expected(bytes, known) {
      case .counts:
        #expect(throws: Never.self, note) { try result.get() }
        #expect(try await sandbox.count("create") == begun, note)
      case .isReplaced:
        #expect(throws: Never.self, note) { try result.get() }
        #expect(try await sandbox.object(object.key)["sha256"] as? String == sha256, note)
      case .isOfForgottenJob:
        try result.requireCorrupted()
        #expect(try await sandbox.object(object.key)["sha256"] as? String == before, note)
      }
    }
  }

  /// A skip looks at the object itself: by id, size and SHA-256, or the ETag where no SHA-256 was sent.
  @Test func earlierObjectIsLookedAt() async throws {
    let id = TestFile.newID()
    let sha256 = Hex.text(SHA256.hash(data: Shown.file))
    let receipt = UploadReceipt(
      bucket: "documents", key: "a", size: 3, etag: "there", version: "v", sha256: sha256, checksum: nil,
      contentType: "text/plain", uploadedAt: Timestamp(seconds: 0))
    let ours = [MetadataHeaders.id: id.description, "Content-Length": "3"]
    let rows: [([String: String], Bool)] = [
      ([MetadataHeaders.sha256: sha256, "ETag": "\"another\""], true),
      ([MetadataHeaders.sha256: String(repeating: "0", count: 64), "ETag": "\"there\""], false),
      (["ETag": "\"there\""], true), (["ETag": "\"another\""], false), ([:], false),
      ([MetadataHeaders.sha256: sha256, MetadataHeaders.id: TestFile.newID().description], false),
      ([MetadataHeaders.sha256: sha256, "Content-Length": "4"], false),
      (["Content-Length": "none", "ETag": "\"there\""], true),
      (["Content-Length": "none", MetadataHeaders.sha256: sha256, "ETag": "\"another\""], false),
    ]
    for (headers, isThere) in rows {
      let peer = try LoopbackPeer { _ in
        let all = ours.merging(headers) { $1 }.filter { $0.key != "Content-Length" || $0.value != "none" }
        guard all["Content-Length"] == nil else { return .answer(200, all) }
        return .raw(Array("HTTP/1.1 200 OK\r\n\(all.map { "\($0): \($1)\r\n" }.joined())\r\n".utf8), .close)
      }
      #expect(try await TestBucket.make(peer.url).isThere(receipt, of: id).get() == isThere, "\(headers)")
      #expect(peer.requests.first?.target == "/documents/a", "its key must lead to it, whatever version is below")
    }
  }
}
