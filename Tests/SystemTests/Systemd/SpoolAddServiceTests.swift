import ChildProcesses
import Foundation
import Testing

@testable import Harness

/// `waybill spool add` on a machine with a running service.
@Suite(.slot, .needs(.systemd, .acl))
struct SpoolAddServiceTests: NewMachineTests {
  private func withRunningService(_ body: (ServiceRig) async throws -> Void) async throws {
    try await withService { rig in
      try await rig.service.start()
      try await body(rig)
    }
  }

  @Test func addsReloadsAndTakesFile() async throws {
    try await withRunningService { rig in
      let pid = try await rig.service.pid()
      let output = try await rig.machine.require(
        "waybill", "spool", "add", "/var/spool/waybill/scans", "--set", "recursive=true", "--set",
        "settle_unseen=200ms")
      #expect(output.contains("\n  waybill reload\n"), "\(output)")
      try await carryOut(output, rig.machine)
      #expect(
        try await rig.machine.require(
          "stat", "-c", "%a %U:%G", "/etc/waybill/waybill.d/scans.toml", "/var/spool/waybill/scans")
          == "640 root:waybill\n3770 waybill:waybill-drop\n")
      try await rig.drop("a.pdf", in: "/var/spool/waybill/scans")
      try await rig.service.job(named: "a.pdf", in: "registered")
      #expect(try await rig.service.pid() == pid, "a reload is enough")
      // The same once more changes nothing.
      let again = try await rig.machine.run("waybill", "spool", "add", "/var/spool/waybill/scans")
      #expect(again.status == 1 && again.errors.contains("is the spool scans already"), "\(again)")
    }
  }

  @Test func outsidePathRestarts() async throws {
    try await withRunningService { rig in
      let pid = try await rig.service.pid()
      let output = try await rig.machine.require(
        "waybill", "spool", "add", "/srv/scans", "--set", "after=archive", "--set", "archive=/srv/kept", "--set",
        "settle_unseen=200ms")
      for command in [
        "spool-srv-scans.conf", "spool-srv-kept.conf", "  systemctl daemon-reload",
        "  systemctl restart waybill.service",
      ] { #expect(output.contains("\(command)\n"), "\(output)") }
      try await carryOut(output, rig.machine)
      try await rig.drop("a.pdf", in: "/srv/scans")
      try await rig.service.job(named: "a.pdf", in: "registered")
      try await until("the file to be archived") { rig.machine.has("/srv/kept/a.pdf") }
      #expect(try await rig.service.pid() != pid)
    }
  }

  @Test func scannersMayDrop() async throws {
    try await withRunningService { rig in
      let words = ["waybill", "spool", "add", "/var/spool/waybill/scans", "--group", "scanners"]
      try await rig.machine.require("groupadd", "scanners")
      try await rig.machine.require("useradd", "--groups", "scanners", "scanner")
      try await rig.machine.require("useradd", "stranger")
      try await carryOut(try await rig.machine.require(words + ["--set", "settle_unseen=200ms"]), rig.machine)
      let drop = ["sh", "-c", "umask 077; echo text > /var/spool/waybill/scans/a.pdf"]
      #expect(try await rig.machine.run(drop, as: "stranger").status != 0)
      try await rig.machine.require(
        ["sh", "-c", "umask 022; echo text > /var/spool/waybill/scans/a.pdf"], as: "scanner")
      try await rig.service.job(named: "a.pdf", in: "registered")
    }
  }

  @Test(.needs(.tmux)) func asksAboutDirectoryOfOthers() async throws {
    try await withRunningService { rig in
      let machine = rig.machine
      try await machine.require("install", "-d", "-o", "kim", "-m", "755", "/var/spool/waybill/mine")
      try await machine.require(["sh", "-c", "echo text > /var/spool/waybill/mine/a.pdf"], as: "kim")
      try await withTerminal { screen in
        let words = ["waybill", "spool", "add", "/var/spool/waybill/mine", "--set", "settle_unseen=200ms"]
        for (answer, status) in [("n", 1), ("y", 0)] {
          try await screen.clear()
          try await screen.run(machine.words(words).joined(separator: " "))
          try await screen.shows("/var/spool/waybill/mine belongs to kim")
          try await screen.shows("1 file is there. It will be sent and then removed.")
          try await screen.shows("Do it?")
          try await screen.type(answer)
          try await screen.press("Enter")
          #expect(try await screen.ended() == status)
        }
        try await carryOut(try await screen.lines().joined(separator: "\n"), machine)
      }
      try await rig.service.job(named: "a.pdf", in: "registered")
    }
  }
}
