import ChildProcesses
import Foundation
import Testing

@testable import Harness

/// Files that the daemon's user has no right to: a person is told what to do. Directories are in FoldersTests.
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
}
