import ChildProcesses
import Foundation
import Testing

@testable import Harness

/// Uploads to an S3 server that others wrote and that verifies signatures; the sandbox is the backend alone.
@Suite(.slot, .needs(.s3Server))
struct RealStorageTests {
  /// Names that take care: each is a file of its own size.
  static let files: [(name: String, size: Int)] = [
    ("empty.txt", 0), ("page.pdf", 4096), ("book one.pdf", 1 << 20), ("Größe & Maß.bin", 20 << 20),
    ("a+b %41 ~'()!*=;,@$.pdf", 333), ("日本語 🗂.txt", 5000),
  ]

  @Test func objectsMatchFilesByteForByte() async throws {
    try await withRig({ $0.storage = try RealS3.storage() }) { rig in
      let bytes = Dictionary(uniqueKeysWithValues: try Self.files.map { ($0.name, try Bytes.random($0.size)) })
      for (name, data) in bytes { try rig.drop(name, data) }
      for (name, data) in bytes {
        let job = try await rig.daemon.job(named: name, in: "registered")
        let key = "\(job.id.string ?? "")/\(name)"
        #expect(job.key.string == key)
        #expect(job.size.int == data.count)
        #expect(job.link.string == "s3://\(rig.setup.storage.bucket)/\(key)")
        let object = try await S3Reader(storage: rig.setup.storage).object(key)
        #expect(object == data, "\(name)")
        #expect(try await Bytes.sha256(data) == job.sha256.string)
      }
      let registrations = try rig.sandbox.registrations()
      #expect(registrations.count == Self.files.count)
      #expect(Set(registrations.compactMap(\.body.name.string)) == Set(Self.files.map(\.name)))
    }
  }

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
