import ChildProcesses
import Foundation
import HTTPTransfer
import Jobs
import LoopbackPeer
import Settings
import Testing

@testable import ObjectStorage

/// Objects that the storage encrypts, in a sandbox that asks for the key as S3 does.
@Suite(.slot) struct EncryptionTests {
  private static let key = CustomerKey(Array(0..<32))
  private static let other = CustomerKey(Array(1...32))
  private static let owner = "x-amz-expected-bucket-owner"
  private static let payer = "x-amz-request-payer"

  private func bucket(
    _ sandbox: SandboxStorage, key: CustomerKey? = EncryptionTests.key, headers: [String: String] = [:],
    checksum: ChecksumAlgorithm = .crc64nvme, overwrite: Bool = false
  ) throws -> S3Bucket {
    let options = StorageSettings(sandbox.url) {
      $0.overwrite = overwrite
      $0.headers = headers
      $0.checksum = checksum
      $0.multipartThreshold = PartFile.partSize
      $0.partSize = PartFile.partSize
      $0.partConcurrency = 1
    }
    return try TestBucket.make(options, isProven: false, keepsCondition: false, customerKey: key)
  }

  /// Every operation that a storage is asked for, to a bucket whose readers pay.
  @Test(arguments: [ChecksumAlgorithm.sha256, .crc64nvme, .none])
  func everyRequestCarriesRequiredHeaders(_ checksum: ChecksumAlgorithm) async throws {
    let sandbox = try await SandboxStorage(["--bucket-owner", "123456789012", "--requester-pays"])
    let headers = [Self.owner: "123456789012", Self.payer: "requester", "x-amz-storage-class": "STANDARD_IA"]
    let bucket = try bucket(sandbox, headers: headers, checksum: checksum)
    // A PUT that is shown by HEAD, its parts after a loss, and the removal of both.
    let small = try TestFile([1, 2, 3])
    var object = try small.objectOfItsOwn()
    _ = try await bucket.upload(object).get()
    object.mayBeStored = true
    _ = try await bucket.upload(object).get()
    let large = try PartFile(size: 3 * PartFile.partSize)
    try await sandbox.fail(#"{"part": {"statuses": [200, 503]}}"#)
    let failure = try await bucket.upload(large.object()).requireFailed()
    _ = try await bucket.upload(large.object(after: failure)).get()
    #expect(try await sandbox.count("part") == 4, "what was sent is gone on with")
    let kept = try await sandbox.object(PartFile.key)["encryption"] as? [String: String]
    #expect(kept?["x-amz-server-side-encryption-customer-key-md5"] == Self.key.digest)
    try await sandbox.fail(#"{"part": {"statuses": [503]}}"#)
    let open = try PartFile(size: 2 * PartFile.partSize)
    _ = try await bucket.upload(open.object(key: PartFile.key + "2")).requireFailed()
    let clear = Cleanup(
      id: PartFile.id, bucket: "documents", key: PartFile.key + "2", aim: .remove, uploadID: open.uploads.first?.id)
    #expect(await bucket.clear(clear) == .absent)
    let stored = Cleanup(id: object.id, bucket: "documents", key: object.key, aim: .remove)
    #expect(await bucket.clear(stored) == .removed)
    try await bucket.forEachPage(ofUploadsIn: "documents", prefix: "") { uploads in
      #expect(uploads == [])
      return true
    }
    #expect(await bucket.probe(bucket: "documents", key: "probe").allSatisfy { $0.weight != .fault })
    try await sandbox.fail(#"{"head": {"status": 403}}"#)
    _ = await bucket.clear(stored)

    let requests = try await sandbox.requests()
    var seen: Set<String> = []
    for request in requests {
      let target = try #require(request["target"] as? String).split(separator: "?", maxSplits: 1)
      let names = target.dropFirst().joined().split(separator: "&").map { String($0.prefix { $0 != "=" }) }
      let method = try #require(request["method"] as? String)
      let isOfBucket = target[0].split(separator: "/").count < 2
      let parts = names.filter { ["uploads", "uploadId"].contains($0) }
      seen.insert(([isOfBucket ? "bucket" : "object", method] + parts).joined(separator: " "))
      let authorization = try #require(request["authorization"] as? String)
      let signed = try #require(authorization.firstMatch(of: /SignedHeaders=([^,]*),/)?.1).split(separator: ";")
      #expect([Self.owner, Self.payer].allSatisfy { signed.contains(Substring($0)) }, "\(request)")
      for header in Self.key.headers.map(\.name) {
        let needsKey = method != "DELETE" && !isOfBucket
        #expect(signed.contains(Substring(header)) == needsKey, "\(request) \(header)")
      }
      let beginsObject = method == "PUT" && parts.isEmpty || method == "POST" && parts == ["uploads"]
      #expect(signed.contains("x-amz-storage-class") == beginsObject, "\(request)")
    }
    #expect(
      seen == [
        "object PUT", "object POST uploads", "object PUT uploadId", "object POST uploadId", "object DELETE uploadId",
        "object GET uploadId", "object HEAD", "object GET", "object DELETE", "bucket GET uploads",
      ])
  }

  @Test func blockedCustomerKeysNameRemedy() async throws {
    let sandbox = try await SandboxStorage(["--block-customer-keys"])
    for size in [Int64(1), PartFile.partSize] {
      let failure = try await bucket(sandbox).upload(PartFile(size: size).object()).requireFailed()
      #expect(failure.kind == .destination)
      #expect(failure.words.contains("since April 2026") && failure.words.contains("BlockedEncryptionTypes"))
    }
    let findings = try await bucket(sandbox).probe(bucket: "documents", key: "probe")
    #expect(findings.map(\.weight) == [.fault] && findings[0].words.contains("since April 2026"))
    let plain = try await SandboxStorage(["--bucket-owner", "1"])
    let failure = try await bucket(plain, key: nil, headers: [Self.owner: "2"]).upload(TestFile([1]).objectOfItsOwn())
      .requireFailed()
    #expect(!failure.words.contains("2026"), "nothing was encrypted")
  }

  @Test func changedKeyRestartsMultipartUpload() async throws {
    let sandbox = try await SandboxStorage()
    let file = try PartFile(size: 3 * PartFile.partSize)
    let keys: [(CustomerKey?, [String: String])] = [
      (nil, [:]), (Self.key, [:]), (Self.other, [:]),
      (nil, ["x-amz-server-side-encryption": "aws:kms", "x-amz-server-side-encryption-aws-kms-key-id": "one"]),
      (nil, ["x-amz-server-side-encryption": "aws:kms", "x-amz-server-side-encryption-aws-kms-key-id": "two"]),
    ]
    var failure: Failure?
    for (key, headers) in keys {
      try await sandbox.fail(#"{"part": {"statuses": [200, 503]}}"#)
      let bucket = try bucket(sandbox, key: key, headers: headers)
      failure = try await bucket.upload(file.object(after: failure)).requireFailed()
    }
    #expect(Set(file.uploads.map(\.id)).count == keys.count)
    try await sandbox.fail(#"{"part": null}"#)
    let last = try bucket(sandbox, key: nil, headers: keys[4].1)
    _ = try await last.upload(file.object(after: failure)).get()
    #expect(file.uploads.count == keys.count, "the same key goes on")
    #expect(try await sandbox.uploads() == [])
    let kept = try await sandbox.object(PartFile.key)
    #expect(kept["encryption"] as? [String: String] == keys[4].1)
    #expect(kept["sha256"] as? String == file.sha256)
  }

  /// HEAD with a key answers 400 to an object that has none, or another. It is there all the same, and is not replaced.
  @Test func keepsObjectUnreadableWithKey() async throws {
    let sandbox = try await SandboxStorage(["--ignore-conditions"])
    for (key, mine) in [(Self.key, nil), (Self.key, Self.other), (nil, Self.key)] as [(CustomerKey?, CustomerKey?)] {
      let name = "scan-\(key == nil)-\(mine == nil).pdf"
      _ = try await bucket(sandbox, key: mine).upload(TestFile([1]).object(key: name)).get()
      let failure = try await bucket(sandbox, key: key).upload(TestFile([2]).object(key: name)).requireFailed()
      #expect(failure.kind == .rejected, "\(failure.words)")
      #expect(try await sandbox.object(name)["size"] as? Int == 1)
    }
    // Our own from before the key was set is replaced by one that is encrypted.
    let file = try TestFile([3])
    var object = try file.objectOfItsOwn()
    _ = try await bucket(sandbox, key: nil).upload(object).get()
    object.mayBeStored = true
    _ = try await bucket(sandbox).upload(object).get()
    #expect(try await sandbox.object(object.key)["encryption"] != nil)
  }

  /// A signing key that is refused in an answer without a body is no object of another key.
  @Test func refusedSigningKeyIsCredentialFailure() async throws {
    let peer = try LoopbackPeer { request in
      request.method == "HEAD" ? .answer(400) : .answer(400, [:], "<Error><Code>ExpiredToken</Code></Error>")
    }
    let bucket = try TestBucket.make(
      StorageSettings(peer.url), keepsCondition: false,
      customerKey: Self.key)
    #expect(try await bucket.upload(TestFile([1]).object()).requireFailed().kind == .credentials)
  }

  @Test func keyIsNeverDisclosed() async throws {
    let peer = try LoopbackPeer { request in
      let echoed = request.headers.map { $0.joined(separator: ":") }.joined(separator: "\n")
      return .answer(403, [:], "<Error><Code>AccessDenied</Code><Message>\(echoed)</Message></Error>")
    }
    let options = StorageSettings(peer.url)
    let bucket = try TestBucket.make(options, customerKey: Self.key)
    let failure = try await bucket.upload(TestFile([1]).object()).requireFailed()
    #expect(peer.requests.contains { $0[CustomerKey.keyHeader] == Self.key.text })
    var dumped = ""
    dump(Self.key, to: &dumped)
    for text in ["\(failure)", failure.answer ?? "", "\(Self.key)", String(reflecting: Self.key), dumped] {
      #expect(!text.contains(Self.key.text), "\(text)")
    }
  }
}
