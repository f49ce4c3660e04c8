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
}
