import ChildProcesses
import Foundation
import Testing

@testable import Harness

/// A spool into which nothing comes any more.
@Suite(.slot)
struct SilentSpoolTests {
  private func startAgain(_ rig: Rig, daysLater days: Int64) async throws {
    #expect(try await rig.daemon.stop() == .exit(0))
    try rig.setArrivalsBack(bySeconds: days * 86_400)
    try await rig.daemon.start()
  }

  @Test func silentSpoolIsAProblemUntilAFileComes() async throws {
    try await withRig({ $0.spoolLines = ["expect_every = \"1d\""] }) { rig in
      try await rig.expectOver()
      #expect(try await rig.daemon.waybill("status").output.contains("no file yet"))
      // No file ever came.
      try await startAgain(rig, daysLater: 2)
      try await rig.expectTold(
        "nothing has come into spool documents for 2d; a file is expected every 1d",
        remedy: "check the machine that drops files", area: "silence")
      try await rig.drop("first.pdf", until: "registered")
      try await rig.expectOver()
      let spool = try #require(try await rig.daemon.status().spools.array.first)
      #expect(spool.expect_every == 86_400 && spool.last_file.string?.hasSuffix("Z") == true, "\(spool)")
      #expect(try await rig.daemon.waybill("status").output.contains(", last file "))
      // The last file came long ago: told after a restart, and again no more after the next.
      try await startAgain(rig, daysLater: 3)
      try await rig.expectTold(
        "nothing has come into spool documents for 3d", remedy: "check the machine", area: "silence")
      try await rig.drop("second.pdf", until: "registered")
      try await rig.expectOver()
    }
  }

  /// Files that are there and are not taken are named with it.
  @Test func waitingFilesAreNamed() async throws {
    try await withRig({
      $0.spoolLines = ["expect_every = \"1d\"", "sidecar = \"{name}.json\"", "sidecar_wait = \"1h\""]
    }) { rig in
      try await startAgain(rig, daysLater: 2)
      try rig.drop("alone.pdf")
      try await rig.expectTold(
        "nothing was taken from spool documents for 2d, files there: 1", remedy: "waybill explain FILE",
        area: "silence")
      let metrics = try await rig.daemon.control("GET", "/metrics").body
      #expect(metrics.contains("waybill_spool_expect_every_seconds{spool=\"documents\"} 86400"), "\(metrics)")
      #expect(metrics.contains("waybill_spool_last_file_timestamp_seconds{spool=\"documents\"} "))
    }
  }
}
