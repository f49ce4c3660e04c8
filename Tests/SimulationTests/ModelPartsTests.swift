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

  @Test func resendsOnlyMissingParts() async throws {
    let peer = try ModelPeer(Self.options)
    let bucket = try StageFile.bucket(peer.url)
    let file = try StageFile(Self.bytes)
    // HEAD, Create, and the answer of the third part of three.
    peer.loseAnswers(after: 4)
    let failure = try await bucket.upload(file.object()).failure()
    #expect(peer.storage?.uploads.entries.count == 1)
    let sent = peer.operations.count { $0 == "UploadPart" }
    peer.heal()
    _ = try await bucket.upload(file.object(after: failure)).get()
    #expect(sent >= 3)
    #expect(peer.operations.count { $0 == "UploadPart" } == sent)
    #expect(peer.operations.count { $0 == "CreateMultipartUpload" } == 1)
    let object = try #require(peer.storage?.objects[file.key])
    #expect(object.etag.hasSuffix("-3"))
    #expect(FileContent(file: 1, runs: [.init(mark: 1, size: file.bytes.count)]).matches(object.pieces))
    #expect(peer.storage?.uploads.entries.isEmpty == true)
  }

  @Test func headFindsLostComplete() async throws {
    let peer = try ModelPeer(Self.options)
    let bucket = try StageFile.bucket(peer.url)
    let file = try StageFile(Array(Self.bytes.prefix(6 << 20)))
    _ = try await bucket.upload(file.object()).get()
    let complete = try #require(peer.operations.firstIndex(of: "CompleteMultipartUpload"))
    let again = try ModelPeer(Self.options)
    again.loseAnswers(after: complete)
    let other = try StageFile.bucket(again.url)
    let failure = try await other.upload(file.object()).failure()
    #expect(failure.mayHaveActed)
    again.heal()
    _ = try await other.upload(file.object(after: failure)).get()
    #expect(again.storage?.history.count == 1)
  }

  @Test func abortsUploadWithLostID() async throws {
    let peer = try ModelPeer(Self.options)
    let bucket = try StageFile.bucket(peer.url)
    let file = try StageFile(Self.bytes)
    peer.loseAnswers(after: 1)
    let failure = try await bucket.upload(file.object()).failure()
    #expect(peer.storage?.uploads.entries.count == 1)
    peer.heal()
    _ = try await bucket.upload(file.object(after: failure)).get()
    #expect(peer.operations.contains("AbortMultipartUpload"))
    #expect(peer.storage?.uploads.entries.isEmpty == true)
  }

  @Test func storageWithoutChecksumsTakesParts() async throws {
    var options = Self.options
    options.knowsChecksums = false
    options.keepsConditions = false
    options.keepsConditionsOfComplete = false
    let peer = try ModelPeer(options)
    let file = try StageFile(Self.bytes)
    let bucket = try StageFile.bucket(peer.url, checksum: .crc64nvme)
    _ = try await bucket.upload(file.object()).get()
    let object = try #require(peer.storage?.objects[file.key])
    #expect(object.checksums == [])
    #expect(object.size == file.bytes.count)
  }
}

extension Timestamp {
  /// The time of the sandbox's process.
  fileprivate static var systemTime: Timestamp {
    Timestamp(microseconds: Int64(Date.now.timeIntervalSince1970 * 1_000_000))
  }
}
