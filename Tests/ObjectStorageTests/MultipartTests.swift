import ChildProcesses
import Foundation
import Jobs
import Settings
import Testing

@testable import ObjectStorage

/// Uploads in parts to the sandbox, which checks signatures and hashes and counts each part.
@Suite(.slot) struct MultipartTests {
  private let sandbox: SandboxStorage
  private let bucket: S3Bucket
  private let key = PartFile.key

  init() async throws {
    sandbox = try await SandboxStorage()
    bucket = try TestBucket.inParts(sandbox.url)
  }

  @Test(arguments: [
    (PartFile.partSize - 1, 0), (PartFile.partSize, 1), (PartFile.partSize + 1, 2), (3 * PartFile.partSize + 5, 4),
  ]) func splitsFilesFromThreshold(_ size: Int64, _ parts: Int) async throws {
    let file = try PartFile(size: size)
    let receipt = try await bucket.upload(file.object()).get()
    #expect(try await sandbox.parts(key) == Dictionary(uniqueKeysWithValues: (1..<(parts + 1)).map { ($0, 1) }))
    let stored = try await sandbox.object(key)
    #expect(stored["sha256"] as? String == file.sha256)
    #expect(stored["etag"] as? String == receipt.etag)
    #expect((stored["metadata"] as? [String: String])?["invoice"] == "17")
    #expect((stored["headers"] as? [String: String])?["content-type"] == "application/pdf")
    #expect(receipt.size == size)
    #expect(receipt.sha256 == (parts < 2 ? file.sha256 : nil))
    #expect(receipt.checksum?.type == (parts == 0 ? .full : .composite))
    if parts > 0 {
      #expect((stored["checksums"] as? [String: String])?["sha256"] == receipt.checksum?.value)
      #expect(receipt.checksum?.value.hasSuffix("-\(parts)") == true)
    }
    #expect(try await sandbox.uploads() == [])
    #expect(file.uploads.count == (parts == 0 ? 0 : 1))
  }

  @Test func recordsUploadBeforeSendingParts() async throws {
    var object = try PartFile(size: 2 * PartFile.partSize).object()
    object.began = { _ in false }
    #expect(await bucket.upload(object) == .failure(.cut))
    #expect(try await sandbox.count("part") == 0)
  }

  @Test func limitsPartsInFlight() async throws {
    try await sandbox.fail(#"{"part": {"latency_ms": 50}}"#)
    let two = try TestBucket.inParts(sandbox.url, partConcurrency: 2)
    _ = try await two.upload(PartFile(size: 6 * PartFile.partSize).object()).get()
    #expect(try await sandbox.peak("part") == 2)
  }

  @Test(arguments: ["500", "502", "\"cut-before\"", "\"cut-after\""])
  func failedPartIsSentAgainWithinAttempt(_ trouble: String) async throws {
    let file = try PartFile(size: 4 * PartFile.partSize)
    try await sandbox.fail(#"{"part": {"statuses": [200, \#(trouble), 200, \#(trouble)]}}"#)
    _ = try await bucket.upload(file.object()).get()
    #expect(try await sandbox.count("create") == 1)
    #expect(try await sandbox.object(key)["sha256"] as? String == file.sha256)
  }

  /// A question must not come while an upload makes progress. It must come if it makes none: if no part is added, if the storage does not
  /// list its parts, or if it loses its uploads.
  @Test func onlyAddedPartsAreProgress() async throws {
    let file = try PartFile(size: 6 * PartFile.partSize)
    try await sandbox.fail(#"{"part": {"statuses": [200, 200, 503]}}"#)
    let first = try await bucket.upload(file.object()).requireFailed()
    #expect(first.hasProgressed)
    try await sandbox.fail(#"{"part": {"status": 503}}"#)
    #expect(try await !bucket.upload(file.object(after: first)).requireFailed().hasProgressed)
    try await sandbox.fail(#"{"part": {"statuses": [200, 500, 500, 500]}}"#)
    #expect(try await bucket.upload(file.object(after: first)).requireFailed().hasProgressed)
    try await sandbox.fail(#"{"part": {"statuses": [200, 503]}, "parts": {"status": 403}}"#)
    #expect(try await !bucket.upload(file.object(after: first)).requireFailed().hasProgressed)
    try await sandbox.fail(#"{"part": null, "parts": null, "complete": {"status": 500}}"#)
    #expect(try await !bucket.upload(file.object(after: first)).requireFailed().hasProgressed, "all parts are there")
    try await sandbox.fail(#"{"part": {"statuses": [200, 503]}, "complete": null}"#)
    try await bucket.abort(try #require(file.uploads.last).id, of: file.object().address)
    #expect(try await !bucket.upload(file.object(after: first)).requireFailed().hasProgressed)
  }

  @Test(arguments: [false, true]) func partsAreReadOnceForTheirChecksums(_ isTouched: Bool) async throws {
    let file = try PartFile(size: 6 * PartFile.partSize)
    try await sandbox.fail(#"{"part": {"statuses": [200, 200, 503]}}"#)
    let failure = try await bucket.upload(file.object()).requireFailed()
    #expect(failure.kind == .unavailable)
    let object = try file.object(after: failure)
    let source = try SourceFile(opening: object)
    let plan = PartPlan(size: file.size, partSize: PartFile.partSize)
    let known = (1...6).filter { bucket.readSums.sums(of: plan.part($0), object, source) != nil }
    #expect(known.prefix(3) == [1, 2, 3])
    if isTouched {
      // Another ctime: it may have been written to, and its time set back.
      try FileManager.default.setAttributes([.posixPermissions: 0o640], ofItemAtPath: file.file.path)
      let touched = try SourceFile(opening: object)
      #expect(known.allSatisfy { bucket.readSums.sums(of: plan.part($0), object, touched) == nil })
    }
    _ = try await bucket.upload(object).get()
    #expect(bucket.readSums.sums(of: plan.part(1), object, try SourceFile(opening: object)) == nil, "it is done")
    #expect(try await sandbox.count("create") == 1)
    #expect(file.uploads.count == 1)
    #expect(try await sandbox.parts(key) == [1: 1, 2: 1, 3: 2, 4: 1, 5: 1, 6: 1])
    #expect(try await sandbox.object(key)["sha256"] as? String == file.sha256)
  }

  /// AWS may take minutes for a large object, and sends nothing meanwhile.
  @Test func completeMayOutlastStallTimeout() async throws {
    let file = try PartFile(size: 2 * PartFile.partSize)
    try await sandbox.fail(#"{"complete": {"latency_ms": 2500}}"#)
    let patient = try TestBucket.inParts(sandbox.url, stallTimeout: .seconds(1))
    _ = try await patient.upload(file.object()).get()
    #expect(try await sandbox.count("complete") == 1)
  }

  @Test func changedAlgorithmStartsOver() async throws {
    let file = try PartFile(size: 2 * PartFile.partSize)
    try await sandbox.fail(#"{"part": {"statuses": [200, 503]}}"#)
    let failure = try await bucket.upload(file.object()).requireFailed()
    let other = try TestBucket.inParts(sandbox.url, checksum: .crc64nvme)
    let receipt = try await other.upload(file.object(after: failure)).get()
    #expect(receipt.checksum?.algorithm == "crc64nvme")
    #expect(file.uploads.map(\.checksum) == ["sha256", "crc64nvme whole"])
    #expect(try await sandbox.uploads() == [])
  }

  /// A smaller part_size, or a storage that takes fewer parts, since the upload was begun: it could be gone on with, but never completed.
  @Test func uploadOverPartLimitStartsOver() async throws {
    let file = try PartFile(size: 4 * PartFile.partSize)
    try await sandbox.fail(#"{"part": {"statuses": [200, 503]}}"#)
    let failure = try await bucket.upload(file.object()).requireFailed()
    let fewer = try TestBucket.inParts(sandbox.url, maxParts: 3)
    let receipt = try await fewer.upload(file.object(after: failure)).get()
    #expect(receipt.size == file.size)
    #expect(file.uploads.map(\.partSize) == [PartFile.partSize, 7 << 20])
    #expect(try await sandbox.uploads() == [])
    #expect(try await sandbox.count("abort") == 1)
    #expect(try await sandbox.object(key)["sha256"] as? String == file.sha256)
  }

  @Test func refusesFileTooLargeForParts() async throws {
    let file = try PartFile(size: 2 * PartFile.partSize)
    var object = try file.object()
    object.expected.size = (5 << 30) * 2 + 1
    let fewer = try TestBucket.inParts(sandbox.url, maxParts: 2)
    #expect(throws: Failure.self) { try fewer.plan(of: object) }
    object.expected.size -= 1
    #expect(try fewer.plan(of: object).count == 2)
  }

  /// The first attempt's request was still on its way when the second one looked. The answer to the end of the second one may be lost.
  @Test(arguments: [false, true]) func abortsLateCreate(isCompleteLost: Bool) async throws {
    let file = try PartFile(size: 2 * PartFile.partSize)
    var object = try file.object(attempt: 2)
    object.began = { [bucket, object] upload in
      do {
        _ = try await bucket.create(object)
        return await object.began(upload)
      } catch {
        return false
      }
    }
    if isCompleteLost {
      try await sandbox.fail(#"{"complete": {"cut": "after"}}"#)
      let failure = try await bucket.upload(object).requireFailed()
      #expect(try await sandbox.uploads().count == 1)
      try await sandbox.fail(#"{"complete": null}"#)
      object = try file.object(after: failure)
    }
    _ = try await bucket.upload(object).get()
    #expect(try await sandbox.count("create") == 2)
    #expect(try await sandbox.uploads() == [])
  }

  /// What was begun and whose id was lost has no part; what has one may be another job's with the same key.
  @Test func sharedKeyAbortsOnlyEmptyUploads() async throws {
    let file = try PartFile(size: 2 * PartFile.partSize)
    let object = try file.object(key: "shared.pdf", attempt: 2)
    _ = try await bucket.create(object)
    let theirs = PartTransfer(
      bucket: bucket, object: object, source: try SourceFile(opening: object),
      upload: MultipartUpload(
        id: try await bucket.create(object).id, partSize: PartFile.partSize, checksum: "sha256", file: object.expected),
      listed: [:])
    _ = try await theirs.send(PartPlan(size: file.size, partSize: PartFile.partSize).part(1))
    _ = try await bucket.upload(object).get()
    #expect(try await sandbox.uploads() == ["shared.pdf"])
    #expect(try await sandbox.count("abort") == 1)
    #expect(try await bucket.listParts(of: theirs.upload.id, object.address)?.keys.sorted() == [1])
  }

  @Test func refusedListingResendsAllParts() async throws {
    let file = try PartFile(size: 2 * PartFile.partSize)
    try await sandbox.fail(
      #"{"part": {"statuses": [200, 503]}, "parts": {"status": 403}, "uploads": {"status": 403}}"#)
    let failure = try await bucket.upload(file.object()).requireFailed()
    _ = try await bucket.upload(file.object(after: failure)).get()
    #expect(file.uploads.count == 1)
    #expect(try await sandbox.parts(key) == [1: 2, 2: 2])
  }

  /// It is met before anything is sent; or it came when nobody looked: HEAD shows nothing twice, then Complete meets it.
  @Test func foreignObjectIsKept() async throws {
    _ = try await bucket.upload(TestFile([1, 2, 3]).object(key: key)).get()
    let file = try PartFile(size: 2 * PartFile.partSize)
    #expect(try await bucket.upload(file.object()).requireFailed() == Occupant.notOurs)
    #expect(try await sandbox.count("create") == 0)
    try await sandbox.fail(#"{"head": {"statuses": [404, 404]}}"#)
    let failure = try await bucket.upload(file.object()).requireFailed()
    #expect(failure == Occupant.notOurs)
    #expect(try await sandbox.count("complete") == 1)
    #expect(try await sandbox.object(key)["size"] as? Int == 3)
    // once it is out of the way, nothing but Complete is left to do
    let freed = try TestBucket.inParts(sandbox.url, overwrite: true)
    _ = try await freed.upload(file.object(after: failure)).get()
    #expect(try await sandbox.parts(key) == [1: 1, 2: 1])
    #expect(try await sandbox.object(key)["sha256"] as? String == file.sha256)
  }

  @Test func cancellationCutsPartsButKeepsUpload() async throws {
    try await sandbox.fail(#"{"part": {"latency_ms": 600000}}"#)
    let file = try PartFile(size: 4 * PartFile.partSize)
    let object = try file.object()
    let bucket = try TestBucket.inParts(sandbox.url, partConcurrency: 3)
    let upload = Task { await bucket.upload(object) }
    try await until("three parts to be in flight") { try await sandbox.count("part") == 3 }
    upload.cancel()
    #expect(await upload.value == .failure(.cut))
    try await sandbox.fail(#"{"part": null}"#)
    _ = try await bucket.upload(file.object(attempt: 2)).get()
    #expect(file.uploads.count == 1)
  }
}
