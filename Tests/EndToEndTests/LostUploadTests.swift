import ChildProcesses
import Foundation
import Testing

@testable import Harness

/// Uploads in parts that nobody knows any more.
@Suite(.slot)
struct LostUploadTests {
  private static let busy: JSONValue = ["part": ["statuses": [200, 503], "retry_after": 1]]

  /// Loses the disk with the ledger. Only the claimed files still carry their ids.
  private func loseLedger(_ rig: Rig) async throws {
    #expect(try await rig.daemon.stop() == .exit(0))
    for file in try FileManager.default.contentsOfDirectory(atPath: rig.setup.state.path) {
      try FileManager.default.removeItem(at: rig.setup.state.appending(path: file))
    }
  }

  /// The ledger has forgotten the upload, but not that it may have.
  @Test func recoveredJobLeavesNoUpload() async throws {
    try await withRig(faults: Self.busy, { $0.sendInParts() }) { rig in
      try rig.drop("a.bin", try Bytes.random(12 << 20))
      try await rig.daemon.job(named: "a.bin", in: "aborted")
      try await loseLedger(rig)
      #expect(try await rig.sandbox.state().uploads.array.count == 1)
      try await rig.sandbox.recover()
      try await rig.daemon.start()
      #expect(try await rig.daemon.waybill("resume", "--recovered").status == 0)
      try await rig.daemon.job(named: "a.bin", in: "registered")
      #expect(try await rig.sandbox.state().uploads == [])
    }
  }
}
