import ChildProcesses
import Foundation
import Testing

@testable import Harness

/// `waybill release JOB --to DIR`: what people are told of a file that was given back.
@Suite(.slot)
struct ReleasedFileTests {
  @Test func releasedIsNotDiscarded() async throws {
    try await withRig(faults: ["register": ["status": 422]]) { rig in
      try rig.drop("scan.pdf")
      _ = try await rig.daemon.job(named: "scan.pdf", in: "awaiting-confirmation")
      #expect(try await rig.daemon.waybill("cancel", "1").status == 0)
      let back = rig.folder.appending(path: "back")
      try FileManager.default.createDirectory(at: back, withIntermediateDirectories: true)
      #expect(try await rig.daemon.waybill("release", "1", "--to", back.path).status == 0)
      let list = try await rig.daemon.waybill("list").output
      #expect(list.contains(" released ") && !list.contains("discarded"), "\(list)")
      let told = try await rig.daemon.waybill("explain", "scan.pdf").output
      #expect(told.contains("job 1 was given back to \(back.path) by "), "\(told)")
      // it is in the ledger, and not only in the memory of who carried it out
      #expect(try await rig.daemon.stop() == .exit(0))
      try await rig.daemon.start()
      let shown = try await rig.daemon.waybill("show", "1").output
      #expect(shown.contains("\nReleased      to \(back.path), by "), "\(shown)")
      #expect(try await rig.daemon.job(1).state == "discarded")
    }
  }
}
