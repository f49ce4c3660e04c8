import ChildProcesses
import Foundation
import Testing

@testable import Harness

/// Groups at a real S3 server.
@Suite(.slot) struct RealGroupTests {
  @Test(.needs(.s3Server))
  func groupUploadsLargeFilesInParts() async throws {
    try await withRig({
      $0.storage = try RealS3.storage()
      $0.storageLines = ["part_size = \"5MiB\""]
      Groups.adjust(&$0)
    }) { rig in
      let files = [
        "one.bin": try Bytes.random(11 << 20), "two.bin": try Bytes.random(6 << 20), "small": Data("s".utf8),
        "data/deep/c d.bin": try Bytes.random(2000), ".hidden": Data("h".utf8), "empty": Data(),
      ]
      try Groups.drop(rig, "run", files)
      let job = try await rig.daemon.job(named: "run", in: "registered")
      for (path, data) in files {
        #expect(try await S3Reader(storage: rig.setup.storage).object((job.key.string ?? "") + path) == data)
      }
    }
  }
}
