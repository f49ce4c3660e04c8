import ChildProcesses
import Foundation
import Testing

@testable import Harness

/// Checksums from the configuration to the backend.
@Suite(.slot)
struct ChecksumTests {
  /// Of "123456789", by the catalogue of CRC algorithms.
  @Test(arguments: [("crc32c", "4waSgw=="), ("crc64nvme", "rosUhgp5mIg=")])
  func registrationCarriesStoredChecksum(_ algorithm: String, _ value: String) async throws {
    try await withRig({ $0.storageLines = ["checksum = \"\(algorithm)\""] }) { rig in
      try rig.drop("a.txt", Data("123456789".utf8))
      let job = try await rig.daemon.job(named: "a.txt", in: "registered")
      let body = try #require(try rig.sandbox.registrations().first).body
      #expect(body.checksum == ["algorithm": .string(algorithm), "type": "full", "value": .string(value)])
      #expect(body.sha256.isNull && job.sha256.isNull)
      let object = try await rig.sandbox.objects()[job.key.string ?? ""]
      #expect(object?.checksums[algorithm].string == value)
    }
  }

  /// A field that names it is reason enough to compute the SHA-256 of the whole file.
  @Test(arguments: ["crc64nvme", "none"]) func fieldGetsDigestOfWholeFile(_ algorithm: String) async throws {
    try await withRig({
      $0.storageLines = ["checksum = \"\(algorithm)\""]
      $0.backendLines = ["fields = { sum = \"{sha256}\" }"]
    }) { rig in
      try rig.drop("a.txt", Data("123456789".utf8))
      let job = try await rig.daemon.job(named: "a.txt", in: "registered")
      let sum: JSONValue = "15e2b0d3c33891ebb0f1ef609ec419420c20e320ce94c65fbc8c3312448eb225"
      #expect(try #require(try rig.sandbox.registrations().first).body == ["sum": sum])
      #expect(job.sha256 == sum)
    }
  }

  @Test func disabledChecksumRegistersNull() async throws {
    try await withRig({ $0.storageLines = ["checksum = \"none\""] }) { rig in
      try await rig.drop("a.txt", until: "registered")
      let body = try #require(try rig.sandbox.registrations().first).body
      #expect(body.checksum.isNull && body.has("checksum"))
      #expect(body.sha256.isNull && body.has("sha256"))
    }
  }

  /// The answer shows a checksum that is not that of the file: it is sent again, and only then registered.
  @Test func checksumMismatchRepeatsUpload() async throws {
    let wrong: JSONValue = [
      "status": 200, "body": "", "headers": ["ETag": "\"e\"", "x-amz-checksum-crc32c": "AAAAAA=="], "times": 1,
    ]
    try await withRig(
      faults: ["upload": wrong],
      {
        $0.storageLines = ["checksum = \"crc32c\""]
        $0.delays = ["50ms"]
      }
    ) { rig in
      let job = try await rig.drop("a.txt", until: "registered")
      #expect(job.attempts.array.map(\.outcome) == ["failed", "succeeded", "succeeded"])
      #expect(job.attempts.array.first?.error.kind == "transient")
      #expect(try await rig.sandbox.count("upload") == 2)
      #expect(try await rig.sandbox.objects().count == 1)
    }
  }
}
