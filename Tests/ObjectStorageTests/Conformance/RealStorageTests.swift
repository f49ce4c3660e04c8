import ChildProcesses
import Credentials
import Foundation
import Jobs
import Settings
import Testing

@testable import ObjectStorage

/// What the client asks of a real S3 server beside the cases of `ConformanceTests`.
@Suite(.slot, .needs(.s3Server)) struct RealStorageTests {
  private let storage: FarStorage

  init() async throws { storage = try await FarStorage(.init(kind: .ceph, isSecure: false)) }

  private func client(
    overwrite: Bool = false, now: @escaping @Sendable () -> Timestamp = TestBucket.systemTime
  ) throws -> S3Bucket {
    try TestBucket.make(storage.wire.url, key: storage.key, overwrite: overwrite, now: now)
  }

  private func anObject() throws -> ObjectToStore {
    try TestFile([1, 2, 3]).object(bucket: storage.bucket, key: "refused/\(UUID())")
  }

  /// `*.localhost` is this machine (RFC 6761, section 6.3), and the server is told that it is `localhost`.
  @Test(arguments: ["plain", "a b+ü%~()"]) func supportsVirtualHostAddressing(_ name: String) async throws {
    let url = storage.wire.url.replacing("127.0.0.1", with: "localhost")
    let bucket = try TestBucket.inParts(url, key: storage.key, addressing: .virtual)
    for size in [5, PartFile.partSize + 1] {
      let file = try PartFile(size: size)
      let object = try file.object(bucket: storage.bucket, key: "virtual/\(UUID())/\(PartFile.id)/\(name)", attempt: 2)
      _ = try await bucket.create(object)
      _ = try await bucket.upload(object).get()
      #expect(try await storage.sha256(object.key) == file.sha256)
      if size > PartFile.partSize { #expect(try await storage.uploads(object.key).isEmpty) }
    }
  }

  /// The bucket of the legacy tenant, by Ceph's form `TENANT:BUCKET`.
  @Test func reachesBucketOfTenant() async throws {
    let bucket = try TestBucket.inParts(storage.wire.url, key: storage.key)
    for size in [5, PartFile.partSize + 1] {
      let file = try PartFile(size: size)
      let object = try file.object(bucket: ":" + storage.bucket, key: "tenant/\(UUID())", attempt: 2)
      _ = try await bucket.upload(object).get()
      #expect(try await storage.sha256(object.key) == file.sha256)
    }
  }

  @Test func restartsMissingUpload() async throws {
    let file = try PartFile(size: 2 * PartFile.partSize)
    let bucket = try TestBucket.inParts(storage.wire.url, key: storage.key)
    var object = try file.object(bucket: storage.bucket, key: "gone/\(UUID())", attempt: 2)
    let upload = MultipartUpload(
      id: try await bucket.create(object).id, partSize: PartFile.partSize, checksum: "sha256", file: object.expected)
    try await bucket.abort(upload.id, of: object.address)
    try await bucket.abort(upload.id, of: object.address)
    object.multipart = upload
    _ = try await bucket.upload(object).get()
    #expect(file.uploads.count == 1)
    #expect(try await storage.sha256(object.key) == file.sha256)
  }

  @Test func deletesOnlyUploadedVersion() async throws {
    let client = try client(overwrite: true)
    let bucket = try await storage.versionedBucket()
    let theirs = try TestFile([1]).object(bucket: bucket, key: "a.pdf")
    let ours = try TestFile([2]).object(bucket: bucket, key: "a.pdf")
    let third = try TestFile([3]).object(bucket: bucket, key: "a.pdf")
    var versions: [String] = []
    for object in [theirs, ours, third] {
      versions.append(try #require(try await client.upload(object).get().version))
    }
    let unversioned = Cleanup(id: ours.id, bucket: bucket, key: "a.pdf", aim: .remove)
    #expect(await client.clear(unversioned) == .absent, "the latest one is somebody else's")
    let own = Cleanup(id: ours.id, bucket: bucket, key: "a.pdf", aim: .remove, version: versions[1])
    #expect(await client.clear(own) == .removed)
    #expect(await client.clear(own) == .absent)
    let latest = Cleanup(id: third.id, bucket: bucket, key: "a.pdf", aim: .remove)
    #expect(await client.clear(latest) == .removed, "by the version that HEAD names")
    #expect(try await storage.versions(in: bucket) == (1, 0))
    #expect(try await storage.bytes(theirs.key, in: bucket) == [1])
  }

  @Test(arguments: [-3600, 3600]) func wrongClockAsksWithBothTimes(_ seconds: Int64) async throws {
    let off: @Sendable () -> Timestamp = { TestBucket.systemTime() + .seconds(seconds) }
    let failure = try await client(now: off).upload(anObject()).requireFailed()
    #expect(failure.kind == .destination && failure.words.contains("; the clock here says 20"))
    #expect(failure.words.contains("Z, the storage's 20"))
  }
}
