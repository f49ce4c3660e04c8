import ChildProcesses
import Foundation
import Testing

@testable import Harness

/// Uploads to an S3 server that others wrote and that verifies signatures; the sandbox is the backend alone.
@Suite(.slot, .needs(.s3Server))
struct RealStorageTests {
  @Test func removesOnlyCancelledJobsObject() async throws {
    try await withRig(
      faults: ["register": ["status": 422]],
      {
        $0.storage = try RealS3.storage()
        $0.key = "{job}/{id}"
      }
    ) { rig in
      for name in ["ours.pdf", "kept.pdf", "theirs.pdf"] { try await rig.drop(name, until: "awaiting-confirmation") }
      let reader = S3Reader(storage: rig.setup.storage)
      var keys: [String] = []
      for number in 1...3 { keys.append(try #require(try await rig.daemon.job(number).key.string)) }
      try await reader.put(Data("theirs".utf8), at: keys[2])
      #expect(try await rig.daemon.waybill("cancel", "2").status == 0)
      #expect(try await rig.daemon.job(2).remote == "object-left")
      #expect(try await rig.daemon.waybill("cancel", "1", "3", "--remove", "--yes").status == 0)
      for number in [1, 3] {
        try await until("remote of \(number)") { try await rig.daemon.job(number).remote == "clean" }
      }
      #expect(try await reader.object(keys[0]) == nil)
      #expect(try await reader.object(keys[1]) == Data("some bytes\n".utf8))
      #expect(try await reader.object(keys[2]) == Data("theirs".utf8))
    }
  }

  @Test func wrongSecretWaitsForCorrectedKey() async throws {
    let right = await Capability.s3Server.isThere ? try RealS3.storage() : nil
    try await withRig({
      $0.storage = try RealS3.storage()
      $0.storage.secretKey = "not-the-secret"
    }) { rig in
      let job = try await rig.drop("a.pdf", until: "awaiting-credentials")
      #expect(job.error.kind == "credentials")
      #expect(job.error.code == "SignatureDoesNotMatch")
      var corrected = rig.setup
      corrected.storage = try #require(right)
      try corrected.writeKeys()
      try await until("it to go on by itself") { try await rig.daemon.count("registered") == 1 }
    }
  }
}
