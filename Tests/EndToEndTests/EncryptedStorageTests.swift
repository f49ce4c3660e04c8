import ChildProcesses
import Foundation
import Testing

@testable import Harness

/// A bucket of a named owner whose readers pay, and whose objects are encrypted with a key that only the customer has.
@Suite(.slot)
struct EncryptedStorageTests {
  @Test func customerKeyCoversUploadAndRemoval() async throws {
    let faults: JSONValue = ["part": ["statuses": [200, "cut-after"]], "register": ["statuses": [201, 422]]]
    let sandbox = ["--bucket-owner", "123456789012", "--requester-pays"]
    let key = Data(0..<32)
    try await withRig(
      faults: faults, sandbox: sandbox,
      { setup in
        let file = setup.folder.appending(path: "customer-key")
        try key.write(to: file)
        setup.delays = ["10ms"]
        setup.storageLines = [
          "encryption = { customer_key = { file = \"\(file.path)\" } }",
          "headers = { x-amz-request-payer = \"requester\", x-amz-expected-bucket-owner = \"123456789012\" }",
          "checksum = \"crc64nvme\"",
        ]
        setup.sendInParts()
      }
    ) { rig in
      try await rig.drop("a.pdf", until: "registered")
      let data = try Bytes.random(11 << 20)
      try rig.drop("b.bin", data)
      let job = try await rig.daemon.job(named: "b.bin", in: "awaiting-confirmation")
      let object = try await rig.sandbox.objects()[job.key.string ?? ""]
      #expect(object?.sha256.string == (try await Bytes.sha256(data)))
      #expect(object?.encryption["x-amz-server-side-encryption-customer-algorithm"].string == "AES256")
      #expect(try await rig.daemon.waybill("cancel", "2", "--remove").status == 0)
      try await until("the object to be removed") { try await rig.daemon.job(2).remote == "clean" }
      #expect(try await rig.sandbox.objects().count == 1)
      let probe = try await Command.run([Products.command, "check", "--config", rig.setup.config.path, "--probe"])
      #expect(probe.output.contains("encrypts objects with the customer's key (SSE-C)"), "\(probe)")
      #expect(probe.status == 0, "\(probe)")
      let keys = try await rig.daemon.waybill("status", "--long")
      #expect(keys.output.contains("encryption.customer_key"))
      for text in [probe.output, keys.output] { #expect(!text.contains(key.base64EncodedString())) }
    }
  }
}
