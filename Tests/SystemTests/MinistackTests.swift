import ChildProcesses
import Foundation
import Testing

@testable import Harness

/// Checksums at a server that nobody here wrote, and that refuses wrong ones. Of an object in parts it knows the checksum of checksums alone.
@Suite(.slot) struct MinistackTests {
  @Test(.needs(.ministack), arguments: ["sha256", "crc32c", "crc64nvme"])
  func storesSmallAndLargeFiles(_ checksum: String) async throws {
    let folder = try TemporaryFolder()
    defer { folder.remove() }
    let server = try await MinistackServer(in: folder.url)
    defer { server.cut() }
    try await server.make(bucket: "documents")
    try await withRig({ setup in
      setup.storage = StorageSetup(endpoint: server.address, bucket: "documents", accessKey: "a", secretKey: "s")
      setup.storageLines = [
        "checksum = \"\(checksum)\"", "part_size = \"5MiB\"",
      ]
    }) { rig in
      // A single object, one part alone, and two.
      for (number, size) in [1000, 5 << 20, (5 << 20) + 1].enumerated() {
        let data = try Bytes.random(size)
        let name = "\(number).bin"
        try rig.drop(name, data)
        let job = try await rig.daemon.job(named: name, in: "registered")
        #expect(!job.history.array.contains { $0.event == "question" })
        let copy = folder.url.appending(path: name)
        try await server.get("documents", try #require(job.key.string), to: copy)
        #expect(try Data(contentsOf: copy) == Data(data))
      }
      let check = try await rig.daemon.waybill("check", "--probe", "--config", rig.setup.config.path)
      #expect(check.status == 0, "\(check.output)\(check.errors)")
    }
  }
}
