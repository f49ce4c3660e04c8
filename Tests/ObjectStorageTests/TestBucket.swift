import Credentials
import Foundation
import HTTPTransfer
import Jobs
import Linux
import LoopbackPeer
import Settings
import Synchronization
import Testing

@testable import ObjectStorage

struct TestBucket {
  static let key = SigningKey(accessKey: "AKIDEXAMPLE", secret: "secret")
  static let systemTime: @Sendable () -> Timestamp = {
    Timestamp(microseconds: Int64(Date.now.timeIntervalSince1970 * 1_000_000))
  }

  static func make(
    _ url: String, key: SigningKey = key, overwrite: Bool = false, headers: [String: String] = [:],
    checksum: ChecksumAlgorithm = .sha256, digest: Bool = false, keyNote: String? = nil, isProven: Bool = true,
    notice: @escaping @Sendable (String) -> Void = { _ in },
    now: @escaping @Sendable () -> Timestamp = systemTime
  ) throws -> S3Bucket {
    let options = StorageSettings(url) {
      $0.overwrite = overwrite
      $0.headers = headers
      $0.checksum = checksum
      $0.digest = digest
      $0.multipartThreshold = 5 << 30
      $0.connectTimeout = .seconds(20)
      $0.stallTimeout = .seconds(60)
    }
    return try make(options, key: key, isProven: isProven, notice: notice, now: now, keyNote: keyNote)
  }

  /// One from whose part size on files go in parts.
  static func inParts(
    _ url: String, key: SigningKey = key, addressing: S3Addressing = .path, overwrite: Bool = false,
    checksum: ChecksumAlgorithm = .sha256, maxParts: Int = 10_000, partConcurrency: Int = 1,
    stallTimeout: Duration = .seconds(60), isProven: Bool = true
  ) throws -> S3Bucket {
    let options = StorageSettings(url) {
      $0.addressing = addressing
      $0.overwrite = overwrite
      $0.checksum = checksum
      $0.multipartThreshold = PartFile.partSize
      $0.partSize = PartFile.partSize
      $0.maxParts = maxParts
      $0.partConcurrency = partConcurrency
      $0.connectTimeout = .seconds(20)
      $0.stallTimeout = stallTimeout
    }
    return try make(options, key: key, isProven: isProven)
  }

  /// - Parameters:
  ///   - isProven: whether the storage has shown an object before, so that answers count by themselves.
  ///   - keepsCondition: whether it has shown that a conditional PUT replaces nothing, so that no HEAD comes first.
  static func make(
    _ options: StorageSettings, key: SigningKey = key, isProven: Bool = true, keepsCondition: Bool = true,
    notice: @escaping @Sendable (String) -> Void = { _ in }, now: @escaping @Sendable () -> Timestamp = systemTime,
    customerKey: CustomerKey? = nil, keyNote: String? = nil
  ) throws -> S3Bucket {
    let bucket = try S3Bucket(
      options,
      .init(
        transport: Transport(maxConnections: 8), workers: WorkerThreads(count: 2, name: "test"), now: now,
        userAgent: "waybill/test", notice: notice),
      keyNote: keyNote,
      signingKey: { () async throws(CredentialError) in key },
      customerKey: customerKey.map(reader))
    if isProven { bucket.trust.prove() }
    if keepsCondition { bucket.trust.proveCondition() }
    return bucket
  }

  private static func reader(_ key: CustomerKey) -> @Sendable () throws(CredentialError) -> CustomerKey {
    { () throws(CredentialError) in key }
  }
}

extension TestBucket {
  /// A bucket whose access key is KEY1 for the first request, KEY2 for the second …
  static func rotating(_ url: String) throws -> S3Bucket {
    let count = Atomic(0)
    let bucket = try S3Bucket(
      StorageSettings(url),
      .init(transport: Transport(maxConnections: 4), workers: WorkerThreads(count: 1, name: "test"), now: systemTime)
    ) { () async throws(CredentialError) in
      SigningKey(accessKey: "KEY\(count.add(1, ordering: .relaxed).newValue)", secret: "secret")
    }
    bucket.trust.prove()
    bucket.trust.proveCondition()
    return bucket
  }
}

extension LoopbackPeer.Reply {
  /// The answer to HEAD about an object of three bytes with a job's id.
  static func head(_ id: JobID, sha256: String? = nil, version: String? = nil) -> LoopbackPeer.Reply {
    var headers = [MetadataHeaders.id: id.description, "Content-Length": "3", "ETag": "\"there\""]
    headers[MetadataHeaders.sha256] = sha256
    headers["x-amz-version-id"] = version
    return .answer(200, headers)
  }

  static func document(_ root: String, _ content: String, _ headers: [String: String] = [:]) -> LoopbackPeer.Reply {
    .answer(200, headers.merging(["Content-Type": "application/xml"]) { $1 }, "<\(root)>\(content)</\(root)>")
  }
}

extension Result where Failure == UploadFailure {
  func requireFailed(sourceLocation: SourceLocation = #_sourceLocation) throws -> Jobs.Failure {
    guard case .failure(.failed(let failure)) = self else {
      return try #require(nil, "not a failure: \(self)", sourceLocation: sourceLocation)
    }
    return failure
  }

  @discardableResult func requireCorrupted(sourceLocation: SourceLocation = #_sourceLocation) throws -> Jobs.Failure {
    guard case .failure(.corrupted(let failure)) = self else {
      return try #require(nil, "no other bytes: \(self)", sourceLocation: sourceLocation)
    }
    return failure
  }

  func requireChanged(sourceLocation: SourceLocation = #_sourceLocation) throws -> (Jobs.Failure, FileIdentity) {
    guard case .failure(.changed(let failure, let now)) = self else {
      return try #require(nil, "no change: \(self)", sourceLocation: sourceLocation)
    }
    return (failure, now)
  }
}

extension S3Bucket {
  func clear(_ cleanup: Cleanup) async -> CleanupResult { await clear(cleanup) { _ in .ask } }
}

extension Cleanup {
  init(id: JobID, bucket: String, key: String, aim: Aim, version: String? = nil, uploadID: String? = nil) {
    self.init(
      job: JobNumber(rawValue: 1), id: id, spool: "documents", storage: "main", bucket: bucket, key: key, aim: aim,
      version: version, uploadID: uploadID, nextAt: nil)
  }
}

extension CleanupResult {
  func requireFailed(sourceLocation: SourceLocation = #_sourceLocation) throws -> Jobs.Failure {
    guard case .failed(let failure, _) = self else {
      return try #require(nil, "not a failure: \(self)", sourceLocation: sourceLocation)
    }
    return failure
  }
}

extension StorageSettings {
  init(_ url: String, region: String = "us-east-1", _ change: (inout StorageSettings) -> Void = { _ in }) {
    self.init(
      name: "main", endpoint: url, region: region, bucket: "documents", accessKey: .environment("KEY"),
      secretKey: .environment("SECRET"))
    change(&self)
  }
}
