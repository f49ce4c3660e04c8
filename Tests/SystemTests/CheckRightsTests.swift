import ChildProcesses
import Foundation
import Testing

@testable import Harness

/// `waybill check` on rights: those of the daemon's user.
@Suite(.slot) struct CheckRightsTests {
  private func check(_ rig: Rig) async throws -> Command {
    try await Command.run([Products.command, "check", "--config", rig.setup.config.path])
  }

  @Test(.needs(.testUsers))
  func rootChecksAsDaemonUser() async throws {
    try await withRig(starting: false, users: OtherUsers()) { rig in
      #expect(try await check(rig).status == 0)
      try await Command.require(["chown", "root", rig.setup.spool.path])
      try await Command.require(["chmod", "0755", rig.setup.spool.path])
      let found = try await check(rig)
      #expect(found.status == 78, "root itself may do everything: \(found)")
      #expect(
        found.output.contains("! spool.documents ") && found.output.contains("chown \(OtherUser.daemon.name)"),
        "\(found)")
    }
  }

  /// An operator may not look at the spools, and hears what was left out.
  @Test(.needs(.otherUser)) func saysWhatWasNotChecked() async throws {
    try await withRig { rig in
      let command = rig.folder.appending(path: "waybill").path
      try await Command.require(["cp", Products.command, command])
      try await Command.require(["chmod", "a+rX", rig.folder.path, rig.setup.config.path])
      let check = try await Command.run(
        [
          "setpriv", "--reuid", "65534", "--regid", "65534", "--clear-groups", command, "check", "--no-keys",
          "--config",
          rig.setup.config.path,
        ])
      #expect(check.status == 0, "\(check)")
      #expect(check.output.contains("? spool.documents was not checked: run this as user root, or as root"), "\(check)")
    }
  }
}
