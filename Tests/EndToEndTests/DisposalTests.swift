import ChildProcesses
import Foundation
import Glibc
import Linux
import Seams
import Testing

@testable import Harness

/// What becomes of a file once its job is registered.
@Suite(.slot)
struct DisposalTests {
  @Test func archiveClashAddsJobNumber() async throws {
    try await withRig({ try $0.archive() }) { rig in
      try rig.drop("scan.pdf", Data("one".utf8))
      try await until("the first disposal") { try await rig.daemon.job(1).disposed_at.string != nil }
      try rig.drop("scan.pdf", Data("two".utf8))
      try await until("the second disposal") { try await rig.daemon.job(2).disposed_at.string != nil }
      #expect(try rig.archived() == ["scan.pdf": "one", "scan.2.pdf": "two"])
      #expect(try rig.filesLeft() == [])
      #expect(try await rig.daemon.job(2).path.isNull)
    }
  }

  /// Nobody but the end of the daemon waits for the worker that has removed the file and is about to record that.
  @Test(.needs(.failpoints), .needs(.sqliteShell)) func stopAwaitsRecordOfRemoval() async throws {
    try await withRig(starting: false) { rig in
      let gate = rig.folder.appending(path: "gate")
      try rig.drop("a.pdf")
      let child = try rig.daemon.launch(environment: Failpoint.fileRemoved.variable(until: gate))
      try await until("the worker to have removed the file") { Failpoint.met(by: child) == .fileRemoved }
      #expect(try rig.filesLeft() == [])
      child.signal(SIGTERM)
      try await until("the control socket to end") {
        guard try child.ending() == nil else { return true }
        do { return try await rig.daemon.control("GET", "/v1/status").status == 0 } catch { return true }
      }
      #expect(try child.ending() == nil)
      try Data().write(to: gate)
      #expect(try await child.end() == .exit(0))
      let row = try await Command.require([
        "sqlite3", rig.setup.state.appending(path: "ledger.sqlite").path,
        "SELECT state, disposed_at IS NOT NULL FROM job",
      ])
      #expect(row == "registered|1\n")
    }
  }
}
