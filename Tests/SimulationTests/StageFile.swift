import ChildProcesses
import Credentials
import HTTPTransfer
import Jobs
import Linux
import SeededNumbers
import Settings
@testable import ObjectStorage

/// A file that a storage stage uploads in these tests.
final class StageFile: Sendable {
  let bytes: [UInt8]
  let id: JobID
  let key: String
  private let folder: TemporaryFolder

  static let partSize: Int64 = 5 << 20

  init(_ bytes: [UInt8], key: String? = nil, number: UInt64 = 1) throws {
    self.bytes = bytes
    var random: any RandomNumberGenerator = SplitMix64(seed: number)
    id = JobID.mint(at: ModelPeer.time, random: &random)
    self.key = key ?? "a key/\(id)/ü+1.pdf"
    folder = try TemporaryFolder()
    try folder.write("file", bytes)
  }

  /// The object of an attempt.
  func object() throws -> ObjectToStore {
    let (folder, name) = (folder, Array("file".utf8))
    var object = ObjectToStore(
      id: id, bucket: "documents", key: key, contentType: "application/pdf", metadata: ["invoice": "881"],
      expected: FileIdentity(try Directory(path: folder.path).open(name).facts()),
      open: { try Directory(path: folder.path).open(name) })
    object.since = ModelPeer.time
    return object
  }

  /// The storage stage for a model.
  static func bucket(
    _ url: String, checksum: ChecksumAlgorithm = .sha256, key: String = "KEY",
    at time: Timestamp = ModelPeer.time
  ) throws -> S3Bucket {
    let options = StorageSettings(url) {
      $0.checksum = checksum
      $0.multipartThreshold = partSize
      $0.partSize = partSize
      $0.connectTimeout = .seconds(20)
      $0.stallTimeout = .seconds(60)
    }
    return try S3Bucket(
      options,
      .init(transport: Transport(maxConnections: 4), workers: WorkerThreads(count: 2, name: "test"), now: { time })
    ) { () async throws(CredentialError) in SigningKey(accessKey: key, secret: "secret") }
  }
}

extension StorageSettings {
  /// The settings of a storage at a URL: the defaults, changed.
  init(_ url: String, region: String = "us-east-1", _ change: (inout StorageSettings) -> Void = { _ in }) {
    self.init(
      name: "main", endpoint: url, region: region, bucket: "documents", accessKey: .environment("KEY"),
      secretKey: .environment("SECRET"))
    change(&self)
  }
}
