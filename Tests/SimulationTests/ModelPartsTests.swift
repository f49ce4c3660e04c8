import ChildProcesses
import Foundation
import Jobs
import ObjectStorage
import Settings
import Simulation
import Testing

/// Uploads in parts of the product against the model of a bucket.
@Suite struct ModelPartsTests {
  private static let options = ModelStorage.Options(bucket: "documents", accessKeys: ["KEY"])
  /// Three parts, the last of which is short.
  private static let bytes = FileContent(file: 1, runs: [.init(mark: 1, size: (10 << 20) + 77)]).bytes

  @Test(arguments: ChecksumAlgorithm.allCases)
  func receiptMatchesSandbox(checksum: ChecksumAlgorithm) async throws {
    let folder = try TemporaryFolder()
    let sandbox = try ChildProcess(
      [Products.sandbox, "--data", folder.file("data"), "--access-key", "KEY", "--secret-key", "secret"])
    defer { sandbox.cut() }
    let url = String(try await sandbox.prints("\n").dropFirst("listening on ".count).dropLast())
    for bytes in [Self.bytes, Array("small".utf8)] {
      let peer = try ModelPeer(Self.options)
      // Each has an id of its own: what has other bytes under the same id is another's.
      let number: UInt64 = bytes.count > 100 ? 1 : 2
      let file = try StageFile(bytes, number: number)
      let own = try await StageFile.bucket(peer.url, checksum: checksum).upload(file.object()).get()
      let there = try await StageFile.bucket(url, checksum: checksum, at: .systemTime)
        .upload(try StageFile(bytes, number: number).object()).get()
      // The model gives each upload an ETag of its own, as with encryption by a KMS.
      #expect(own.etag != nil && own.etag?.split(separator: "-").count == there.etag?.split(separator: "-").count)
      #expect(own.checksum == there.checksum)
      #expect(own.size == there.size)
    }
  }
}

extension Timestamp {
  /// The time of the sandbox's process.
  fileprivate static var systemTime: Timestamp {
    Timestamp(microseconds: Int64(Date.now.timeIntervalSince1970 * 1_000_000))
  }
}
