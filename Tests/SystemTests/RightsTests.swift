import ChildProcesses
import Foundation
import Testing

@testable import Harness

/// Files and directories that the daemon's user has no right to: each is taken, or a person is told what to do.
@Suite(.slot, .needs(.testUsers))
struct RightsTests {
  private func shell(_ script: String, _ rig: Rig) async throws {
    try await Command.require(OtherUser.dropper.words(["sh", "-c", script, "_", rig.setup.spool.path]))
  }

  @Test func questionNamesUnreadableFilesOwner() async throws {
    try await withRig(users: OtherUsers()) { rig in
      try await shell(
        """
        cd "$1"; echo secret > .s; chmod 0600 .s; mv .s secret.pdf; echo open > .o; chmod 0640 .o; mv .o open.pdf
        """, rig)
      try await rig.daemon.job(named: "open.pdf", in: "registered")
      let job = try await rig.daemon.job(named: "secret.pdf", in: "awaiting-confirmation")
      let question = job.question.string ?? ""
      #expect(
        question.contains("Permission denied") && question.contains("user \(OtherUser.dropper.name)"), "\(question)")
      #expect(question.contains("mode 0600") && question.contains("setfacl"), "\(question)")
      let path = try #require(job.path.string)
      try await Command.require(["setfacl", "-m", "u:\(OtherUser.daemon.name):r,m::r", path])
      #expect(try await rig.daemon.waybill("confirm", "\(job.job.int ?? 0)").status == 0)
      try await rig.daemon.job(named: "secret.pdf", in: "registered")
    }
  }

  /// Directories that droppers made without a thought of the daemon.
  @Test func skipsAndReportsForbiddenDirectories() async throws {
    try await withRig(
      users: OtherUsers(),
      {
        $0.spoolLines = ["recursive = true", "scan_interval = \"1s\""]
        // The files were begun before their directory was watched, and no lease tells of their writer.
        $0.settleOpen = "2s"
      }
    ) { rig in
      let spool = rig.setup.spool.path
      // Without the default ACL that the manual asks for.
      try await Command.require(["setfacl", "-k", spool])
      try await shell(
        """
        cd "$1"; umask 022; mkdir readable closed; echo 1 > readable/r.pdf; echo 2 > closed/c.pdf; chmod 0700 closed
        echo 3 > open.pdf
        """, rig)
      try await rig.daemon.job(named: "open.pdf", in: "registered")
      try await until("both to be told") {
        let text = try rig.daemon.errorText
        return text.contains("readable/r.pdf") && text.contains("\(spool)/closed")
      }
      for _ in 0..<2 { try await rig.daemon.nextScan() }
      let text = try rig.daemon.errorText
      #expect(try rig.daemon.told("spool documents: cannot") == 2, "\(text)")
      #expect(text.contains("setfacl -R -m u:\(OtherUser.daemon.name):rwX"), "\(text)")
      try await Command.require([
        "setfacl", "-R", "-m", "u:\(OtherUser.daemon.uid):rwX", spool + "/readable", spool + "/closed",
      ])
      for name in ["r.pdf", "c.pdf"] { try await rig.daemon.job(named: name, in: "registered") }
    }
  }
}
