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
    let users = try await OtherUsers()
    try await withRig(starting: false, users: users) { rig in
      #expect(try await check(rig).status == 0)
      try await Command.require(["chown", "root", rig.setup.spool.path])
      try await Command.require(["chmod", "0755", rig.setup.spool.path])
      let found = try await check(rig)
      #expect(found.status == 78, "root itself may do everything: \(found)")
      #expect(
        found.output.contains("! spool.documents ") && found.output.contains("chown \(users.daemon.name)"), "\(found)")
    }
  }

  /// An operator may not look at the spools, and hears what was left out.
  @Test(.needs(.otherUser)) func saysWhatWasNotLookedFor() async throws {
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
      #expect(check.output.contains("? daemon was not asked whether jobs still need a spool"), "\(check)")
    }
  }

  /// As `cp -r` makes them of directories of mode 0755: the ACL's mask takes the daemon's right away.
  @Test(.needs(.testUsers))
  func namesDirectoriesUnusableForClaims() async throws {
    let users = try await OtherUsers()
    try await withRig(starting: false, users: users, { $0.spoolLines = ["recursive = true"] }) { rig in
      let make = #"cd "$1"; mkdir -m 0770 -p well/a; mkdir .hidden; chmod 0700 .hidden; echo x > f"#
      try await Command.require(users.dropper.words(["sh", "-ec", make, "_", rig.setup.spool.path]))
      let well = try await check(rig)
      #expect(well.status == 0 && !well.output.contains("cannot be taken"), "\(well)")
      let spoil = #"cd "$1"; mkdir well/b well/c; chmod 0755 well/b; chmod 0700 well/c"#
      try await Command.require(users.dropper.words(["sh", "-ec", spoil, "_", rig.setup.spool.path]))
      let found = try await check(rig)
      #expect(found.status == 0, "\(found)")
      #expect(found.output.contains("? spool.documents files in a directory cannot be taken: "), "\(found)")
      #expect(found.output.contains("(and one directory more); give user"), "\(found)")
      #expect(found.output.contains("setfacl -R -m u:"), "\(found)")
    }
  }
}
