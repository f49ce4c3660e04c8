import ChildProcesses
import Credentials
import Foundation
import HTTPTransfer
import Jobs
import Settings
import Testing

@testable import ObjectStorage

/// The same cases against every storage that can be started here, and the sizes over TLS with an authority of its own.
///
/// What a server cannot do is printed as `conformance: SERVER cannot: …`.
@Suite(.slot, .needs(.s3Server, .openStack))
struct ConformanceTests {
  private static let part = PartFile.partSize

  private func expectStored(_ file: PartFile, _ storage: FarStorage) async throws {
    #expect(try await storage.sha256(file.key) == file.sha256)
    let stored = try await storage.head(file.key)
    #expect(stored[first: "Content-Type"] == "application/pdf")
    #expect(stored[first: "x-amz-meta-invoice"] == "17")
    #expect(try await storage.uploads(file.key).isEmpty, "no upload in parts is left behind")
  }

  private static func file(_ size: Int64, key: String = "conformance/\(UUID())/a b+ü.pdf") throws -> PartFile {
    try PartFile(size: size, key: key, id: TestFile.newID())
  }

  private func failure(_ result: Result<UploadReceipt, UploadFailure>) throws -> Failure {
    guard case .failure(.failed(let failure)) = result else { throw Missing("a failure, and not \(result)") }
    return failure
  }

  @Test(arguments: FarStorage.Way.all + [.secure])
  func storesObjectsOfAnySize(way: FarStorage.Way) async throws {
    let storage = try await FarStorage(way)
    for size in [0, 1, 262_145, Self.part - 1, Self.part, Self.part + 1, 3 * Self.part + 5] {
      let file = try Self.file(size)
      let receipt = try await storage.client().upload(file.object(bucket: storage.bucket)).get()
      #expect(receipt.size == size && receipt.etag != nil)
      try await expectStored(file, storage)
      #expect(file.uploads.count == (size >= Self.part ? 1 : 0))
    }
  }

  @Test(arguments: FarStorage.Way.all)
  func sendsEveryChecksumAlgorithm(way: FarStorage.Way) async throws {
    let storage = try await FarStorage(way)
    for algorithm in ChecksumAlgorithm.allCases {
      for size in [1000, Self.part + 1] {
        let file = try Self.file(size)
        let receipt = try await storage.client(checksum: algorithm, digest: true)
          .upload(file.object(bucket: storage.bucket)).get()
        #expect(receipt.sha256 == file.sha256)
        #expect(receipt.checksum?.algorithm == (algorithm == .none ? nil : algorithm.rawValue))
        try await expectStored(file, storage)
      }
    }
  }

  @Test(arguments: FarStorage.Way.all)
  func storesHostileKeysUnchanged(way: FarStorage.Way) async throws {
    let storage = try await FarStorage(way)
    let client = try storage.client()
    for name in HostileKeys.all {
      let file = try Self.file(7, key: "conformance/\(UUID())/\(name)")
      _ = try await client.upload(file.object(bucket: storage.bucket)).get()
      #expect(try await storage.sha256(file.key) == file.sha256, "\(name)")
    }
  }

  @Test(arguments: FarStorage.Way.all)
  func distinguishesRefusals(way: FarStorage.Way) async throws {
    let storage = try await FarStorage(way)
    let object = try Self.file(3).object(bucket: storage.bucket)
    let wrong = SigningKey(accessKey: storage.key.accessKey, secret: "wrong")
    #expect(try failure(await storage.client(key: wrong).upload(object)).kind == .credentials)
    let unknown = SigningKey(accessKey: "NOBODY", secret: "wrong")
    #expect(try failure(await storage.client(key: unknown).upload(object)).kind == .credentials)
    let missing = try failure(await storage.client().upload(Self.file(3).object(bucket: "no-such-bucket")))
    #expect(missing.kind == .destination && missing.code == "NoSuchBucket")
    let parts = try failure(await storage.client().upload(Self.file(Self.part).object(bucket: "no-such-bucket")))
    #expect(parts.kind == .destination && parts.code == "NoSuchBucket")
    guard storage.kind.checksRegions else { return storage.cannot("tell a wrong region: it takes any") }
    let region = try failure(await storage.client(region: "eu-nowhere-9").upload(object))
    #expect(region.kind == .destination, "\(region)")
    #expect(region.words.contains("us-east-1"), "\(region.words)")
  }

  @Test(arguments: FarStorage.Way.all)
  func acceptsOwnObjectsAndKeepsForeign(way: FarStorage.Way) async throws {
    let storage = try await FarStorage(way)
    guard storage.kind.keepsConditions else {
      return storage.cannot("refuse to replace an object (501 to If-None-Match): configure overwrite = true")
    }
    for size in [5, Self.part] {
      let file = try Self.file(size)
      _ = try await storage.client().upload(file.object(bucket: storage.bucket)).get()
      // ours: an answer that was lost, seen by the next attempt
      _ = try await storage.client().upload(file.object(bucket: storage.bucket)).get()
      try await expectStored(file, storage)
      // and of somebody else
      let other = try Self.file(size + 1, key: file.key)
      let refused = try failure(await storage.client().upload(other.object(bucket: storage.bucket)))
      #expect(refused.kind == .rejected && refused.words.contains("not from this job"), "\(refused)")
      try await expectStored(file, storage)
    }
  }

  /// The answers to PUT, Create, a part and Complete, each lost after the server has acted.
  @Test(arguments: FarStorage.Way.all)
  func recoversFromLostResponses(way: FarStorage.Way) async throws {
    let storage = try await FarStorage(way)
    let cuts: [(size: Int64, match: String)] = [
      (9, "PUT"), (2 * Self.part, "?uploads"), (2 * Self.part, "partNumber=2"), (2 * Self.part, "?uploadId="),
    ]
    for (size, match) in cuts {
      let file = try Self.file(size)
      try await storage.wire.spoil(.cut, match)
      let client = try storage.client(concurrency: 1)
      switch await client.upload(try file.object(bucket: storage.bucket)) {
      case .success: break  // libcurl sends a request again by itself where a kept connection turns out to be dead
      case .failure(.failed(let lost)):
        #expect(lost.kind == .transient && lost.mayHaveActed, "\(match): \(lost)")
        _ = try await client.upload(file.object(bucket: storage.bucket, after: lost)).get()
      case .failure(let other): Issue.record("\(match): \(other)")
      }
      try await expectStored(file, storage)
    }
  }

  @Test(arguments: FarStorage.Way.all)
  func detectsFlippedBit(way: FarStorage.Way) async throws {
    let storage = try await FarStorage(way)
    for algorithm in ChecksumAlgorithm.allCases {
      guard algorithm == .sha256 || (storage.kind.checksChecksums && algorithm != .none) else {
        storage.cannot("tell a spoiled body by \(algorithm.rawValue): it looks at no such checksum")
        continue
      }
      for (size, match) in [(Int64(1000), "PUT"), (Self.part + 1000, "partNumber=1")] {
        let file = try Self.file(size)
        // A part is sent up to three times in an attempt.
        try await storage.wire.spoil(.flip, match, count: match == "PUT" ? 1 : 3)
        let client = try storage.client(checksum: algorithm)
        let spoiled = try failure(await client.upload(file.object(bucket: storage.bucket)))
        #expect(spoiled.kind == .transient, "\(algorithm): \(spoiled)")
        #expect(try await storage.sha256(file.key) == nil)
        _ = try await client.upload(file.object(bucket: storage.bucket, after: spoiled)).get()
        try await expectStored(file, storage)
      }
    }
  }

  @Test(arguments: FarStorage.Way.all)
  func resumesMultipartAfterSlowDown(way: FarStorage.Way) async throws {
    let storage = try await FarStorage(way)
    let file = try Self.file(4 * Self.part)
    try await storage.wire.spoil(.busy, "partNumber=3")
    let client = try storage.client(concurrency: 1)
    let busy = try failure(await client.upload(file.object(bucket: storage.bucket)))
    #expect(busy.kind == .unavailable && busy.status == 503 && busy.code == "SlowDown", "\(busy)")
    #expect(file.uploads.count == 1)
    // whatever is sent of the first two parts again would be refused
    try await storage.wire.spoil(.busy, "partNumber=1&", count: 9)
    try await storage.wire.spoil(.busy, "partNumber=2&", count: 9)
    _ = try await client.upload(file.object(bucket: storage.bucket, after: busy)).get()
    #expect(file.uploads.count == 1)
    try await expectStored(file, storage)
  }

  @Test(arguments: FarStorage.Way.all)
  func listsAndAbortsUnfinishedUploads(way: FarStorage.Way) async throws {
    let storage = try await FarStorage(way)
    let client = try storage.client()
    let prefix = "conformance/\(UUID())/"
    let names = ["a b+ü%", "a b+ü%", "b"]
    for name in names { _ = try await client.create(Self.file(1, key: prefix + name).object(bucket: storage.bucket)) }
    let uploads = try await uploads(client, storage, prefix)
    #expect(uploads.map(\.key).sorted() == names.map { prefix + $0 }.sorted())
    #expect(uploads.allSatisfy { ($0.begunAt.map { TestBucket.systemTime() - $0 } ?? .seconds(9999)) < .seconds(900) })
    for upload in uploads { try await client.abort(upload.id, of: upload.address) }
    for upload in uploads { try await client.abort(upload.id, of: upload.address) }  // gone already is as good
    #expect(try await self.uploads(client, storage, prefix).isEmpty)
  }

  private func uploads(
    _ client: S3Bucket, _ storage: FarStorage, _ prefix: String
  ) async throws -> [UploadUnderWay] {
    var uploads: [UploadUnderWay] = []
    try await client.forEachPage(ofUploadsIn: storage.bucket, prefix: prefix) { page in
      uploads += page
      return true
    }
    return uploads
  }
}
