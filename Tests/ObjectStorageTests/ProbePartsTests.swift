import ChildProcesses
import LoopbackPeer
import Settings
import Testing

@testable import ObjectStorage

/// A probe sends a part as a job does, and names the settings with which a storage takes it.
@Suite(.slot) struct ProbePartsTests {
  /// The settings that findings name, on top of some options.
  private static func changed(_ options: StorageSettings, by findings: [ProbeFinding]) -> StorageSettings {
    var options = options
    for fault in findings where fault.weight == .fault {
      guard let remedy = fault.words.split(separator: "; with ").dropFirst().last else { continue }
      let checksum = [ChecksumAlgorithm.sha256, .crc32c, .crc64nvme].first {
        remedy.contains("checksum = \"\($0.rawValue)\"")
      }
      options.checksum = checksum ?? options.checksum
      options.overwrite = options.overwrite || remedy.contains("overwrite = true")
    }
    return options
  }

  private static let dialects = ["aws", "r2", "b2", "gcs", "garage", "seaweedfs", "minio", "scaleway", "wasabi"]

  @Test(arguments: dialects) func namedSettingsPassProbe(_ dialect: String) async throws {
    let sandbox = try await SandboxStorage(["--dialect", dialect])
    for checksum in [ChecksumAlgorithm.sha256, .crc32c, .crc64nvme] {
      let bucket = try TestBucket.make(sandbox.url, checksum: checksum)
      let first = await bucket.probe(bucket: "documents", key: "first")
      let options = Self.changed(bucket.settings, by: first)
      #expect(checksum != .sha256 || options == bucket.settings, "\(dialect): the default does not fit: \(first)")
      let second = await bucket.with { $0 = options }.probe(bucket: "documents", key: "second")
      #expect(second.allSatisfy { $0.weight != .fault }, "\(dialect), \(checksum): \(first) \(second)")
      #expect(second.contains { $0.words.hasPrefix("stores an object in parts") }, "\(second)")
      #expect(second.last == ProbeFinding(.fits, "deletes objects"))
    }
    #expect(try await sandbox.uploads().isEmpty)
  }

  /// The place at which a storage refuses a CRC of a part.
  private enum Refusal: CaseIterable {
    case create
    case part
    case complete
  }

  @Test(arguments: Refusal.allCases) private func refusalNamesHelpfulSetting(_ refusal: Refusal) async throws {
    let storage = PartsPeer()
    let peer = try LoopbackPeer { request in
      let isCRC = storage.algorithm(of: request) == "CRC32C"
      let place: Refusal? =
        request.method == "POST"
        ? (request.target.contains("uploads=") ? .create : .complete)
        : request.target.contains("partNumber=") ? .part : nil
      guard isCRC, place == refusal else { return storage.reply(request) }
      return .answer(400, [:], "<Error><Code>BadDigest</Code><Message>no CRC of parts here</Message></Error>")
    }
    let bucket = try TestBucket.make(peer.url, checksum: .crc32c)
    let findings = await bucket.probe(bucket: "documents", key: "trial")
    let fault = try #require(findings.first { $0.weight == .fault && $0.words.hasPrefix("refuses") }, "\(findings)")
    #expect(fault.words.contains("refuses an upload in parts with checksum = \"crc32c\": HTTP 400 BadDigest"))
    #expect(fault.words.hasSuffix("with checksum = \"sha256\" they do not"), "\(fault.words)")
    #expect(fault.words.contains("no CRC of parts here"), "\(fault.words)")
    #expect(findings.last == ProbeFinding(.fits, "deletes objects"))
    let left = peer.requests.filter { $0.method == "DELETE" && $0.target.contains("uploadId=") }
    #expect(refusal == .create || !left.isEmpty, "the upload is aborted")
  }

  @Test func reportsRefusalNoSettingFixes() async throws {
    let storage = PartsPeer()
    let peer = try LoopbackPeer { request in
      request.target.contains("partNumber=")
        ? .answer(403, [:], "<Error><Code>AccessDenied</Code><Message>no parts</Message></Error>")
        : storage.reply(request)
    }
    let bucket = try TestBucket.make(peer.url, checksum: .crc32c)
    let findings = await bucket.probe(bucket: "documents", key: "trial")
    let fault = try #require(findings.first { $0.weight == .fault && $0.words.hasPrefix("refuses") }, "\(findings)")
    #expect(fault.words.hasPrefix("refuses multipart uploads: HTTP 403 AccessDenied: no parts"))
    #expect(!fault.words.contains("; with "), "\(fault.words)")
    #expect(peer.requests.count { $0.target.contains("partNumber=") } == 1, "other settings would get the same")
  }
}
