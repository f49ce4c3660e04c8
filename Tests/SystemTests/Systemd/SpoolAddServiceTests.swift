import ChildProcesses
import Foundation
import Testing

@testable import Harness

/// `waybill spool add` on a machine with a running service.
@Suite(.slot, .needs(.systemd, .acl))
struct SpoolAddServiceTests: NewMachineTests {
  @Test func addsSpools() async throws {
    try await withService { rig in
      try await rig.service.start()
      let machine = rig.machine
      let pid = try await rig.service.pid()
      for user in ["scanner", "stranger"] { try await machine.require("useradd", user) }
      try await machine.require("groupadd", "scanners")
      try await machine.require("usermod", "-a", "-G", "scanners", "scanner")
      let output = try await machine.require(
        "waybill", "spool", "add", "/var/spool/waybill/scans", "--set", "recursive=true", "--set",
        "settle_unseen=200ms")
      #expect(output.contains("\n  waybill reload\n"), "\(output)")
      try await carryOut(output, machine)
      #expect(
        try await machine.require(
          "stat", "-c", "%a %U:%G", "/etc/waybill/waybill.d/scans.toml", "/var/spool/waybill/scans")
          == "640 root:waybill\n3770 waybill:waybill-drop\n")
      try await rig.drop("a.pdf", in: "/var/spool/waybill/scans")
      try await rig.service.job(named: "a.pdf", in: "registered")
      #expect(try await rig.service.pid() == pid, "a reload is enough")
      // The same once more changes nothing.
      let again = try await machine.run("waybill", "spool", "add", "/var/spool/waybill/scans")
      #expect(again.status == 1 && again.errors.contains("is the spool scans already"), "\(again)")

      // Outside of the unit's directories, for a group of its own.
      let outside = try await machine.require(
        "waybill", "spool", "add", "/srv/scans", "--name", "outside", "--group", "scanners", "--set", "after=archive",
        "--set", "archive=/srv/kept", "--set", "settle_unseen=200ms")
      for command in [
        "spool-srv-scans.conf", "spool-srv-kept.conf", "  systemctl daemon-reload",
        "  systemctl restart waybill.service",
      ] { #expect(outside.contains("\(command)\n"), "\(outside)") }
      try await carryOut(outside, machine)
      #expect(try await rig.service.pid() != pid)
      func drop(_ user: String, umask: String) async throws -> Int32 {
        try await machine.run(["sh", "-c", "umask \(umask); echo text > /srv/scans/b.pdf"], as: user).status
      }
      #expect(try await drop("stranger", umask: "077") != 0)
      #expect(try await drop("scanner", umask: "022") == 0)
      try await rig.service.job(named: "b.pdf", in: "registered")
      try await until("the file to be archived") { machine.has("/srv/kept/b.pdf") }
    }
  }
}
