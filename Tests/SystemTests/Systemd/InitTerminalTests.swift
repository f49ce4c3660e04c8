import ChildProcesses
import Foundation
import Testing

@testable import Harness

/// `waybill init` as a person has it, at a terminal with 80 columns.
@Suite(.slot, .needs(.systemd, .acl, .tmux))
struct InitTerminalTests: NewMachineTests {
  /// From the installed package to the first file, with an S3 server that others wrote.
  @Test(.needs(.debhelper, .s3Server)) func firstFileAtTerminal() async throws {
    let storage = try RealS3.storage()
    let folder = try TemporaryFolder()
    let sandbox = try await Sandbox(in: folder.url)
    try await withBareMachine { machine in
      try await machine.type(["apt install \(try await DebianPackage.first.value.seen)"])
      try await machine.require("useradd", "--create-home", SystemdMachine.dropperName)
      try await withTerminal { screen in
        let began = ContinuousClock.now
        try await screen.run(typedLine(machine, ["env", "SUDO_USER=kim", "waybill", "init"]))
        try await screen.shows("Nothing is changed before the last question.")
        var questions = 0
        func answer(_ prompt: String, _ text: String) async throws {
          try await screen.shows(prompt)
          if !text.isEmpty { try await screen.type(text) }
          try await screen.press("Enter")
          questions += 1
        }
        try await answer("Storage, e.g. https://s3.eu-central-1.amazonaws.com:", storage.endpoint)
        try await answer("Region, e.g. eu-central-1 [us-east-1]:", "")
        try await answer("Bucket, e.g. documents:", storage.bucket)
        try await answer("Id of the key", storage.accessKey)
        try await answer("Secret of the key", storage.secretKey)
        try await answer("Directory that files", "")
        try await answer("Backend, e.g.", sandbox.backend)
        try await answer("Token of the backend", "hidden-token")
        try await answer("Do it? [y/N]", "y")
        let status = try await screen.ended()
        let seconds = (ContinuousClock.now - began).components.seconds
        let lines = try await screen.lines()
        #expect(status == 0, "\(lines.joined(separator: "\n"))")
        #expect(!lines.contains { $0.contains("hidden-token") || $0.contains(storage.secretKey) })
        // The first line is what the test types, and so is the end of the one with the backend's address.
        let wide = lines.dropFirst().filter { $0.count > 80 && !$0.hasSuffix("/register") }
        #expect(wide.isEmpty, "\(wide)")
        #expect(questions <= 9 && seconds < 300)
        let settings = try screen.settings()
        #expect(settings.before == settings.after)
        print("waybill init: \(questions) questions, \(seconds) s")
        try await carryOut(lines.joined(separator: "\n"), machine)
      }
      // What it made has the owners and modes that the page and the package give.
      #expect(
        try await machine.require(
          "stat", "-c", "%a %U:%G %n", "/etc/waybill/waybill.toml", "/etc/waybill/keys",
          "/etc/waybill/keys/s3-access-key", "/etc/waybill/keys/s3-secret-key", "/etc/waybill/keys/backend-token",
          "/var/spool/waybill/documents") == """
            640 root:waybill /etc/waybill/waybill.toml
            500 waybill:root /etc/waybill/keys
            640 root:waybill /etc/waybill/keys/s3-access-key
            640 root:waybill /etc/waybill/keys/s3-secret-key
            640 root:waybill /etc/waybill/keys/backend-token
            3770 waybill:waybill-drop /var/spool/waybill/documents

            """)
      let service = Service(machine: machine)
      #expect(try await service.property("UnitFileState") == "enabled")
      // And the person drops the next one, by the command that it ends with.
      try await machine.require("usermod", "-aG", "waybill,waybill-drop", "kim")
      try await machine.require(
        ["sh", "-c", "echo text > /var/spool/waybill/documents/mine.txt"], as: SystemdMachine.dropperName)
      try await service.job(named: "mine.txt", in: "registered")
    }
  }

  /// A directory of somebody else stays as it is; the commands that take it are left to the person, who is told how its owner keeps his
  /// access.
  @Test func asksAboutDirectoryOfOthers() async throws {
    try await withNewMachine { machine, sandbox in
      try await machine.require("install", "-d", "-o", "kim", "-g", "kim", "-m", "755", "/srv/scans")
      try machine.write("/srv/scans/a.pdf", "text")
      let line = typedLine(
        machine,
        [
          "env", "AWS_ACCESS_KEY_ID=\(sandbox.storage.accessKey)", "AWS_SECRET_ACCESS_KEY=\(sandbox.storage.secretKey)",
          "waybill", "init", "--endpoint", sandbox.storage.endpoint, "--region", "us-east-1", "--bucket",
          sandbox.storage.bucket, "--keys", "env",
          "--backend", sandbox.backend, "--spool", "/srv/scans",
        ])
      try await withTerminal { screen in
        // Interrupted at a question: nothing was changed, and the terminal is as it was.
        let before = try await checksums(machine)
        try await screen.run(
          typedLine(machine, ["waybill", "init", "--endpoint", "https://x", "--region", "x", "--bucket", "b"]))
        try await screen.shows("Id of the key")
        try await screen.type("id")
        try await screen.press("Enter")
        try await screen.shows("Secret of the key")
        try await screen.press("C-c")
        #expect(try await screen.ended() == 130)
        let settings = try screen.settings()
        #expect(settings.before == settings.after, "the terminal shows again what is typed")
        #expect(try await checksums(machine) == before)

        for (answer, status) in [("", 1), ("y", 0)] {
          try await screen.clear()
          try await screen.run(line)
          try await screen.shows("/srv/scans belongs to kim, who keeps his access by:")
          try await screen.shows("1 file is there. It will be sent and then removed.")
          try await screen.shows("Do it? [y/N]")
          if !answer.isEmpty { try await screen.type(answer) }
          try await screen.press("Enter")
          #expect(try await screen.ended() == status)
          #expect(machine.has("/etc/waybill/waybill.toml") == (status == 0))
        }
        let lines = try await screen.lines()
        // Commands stay in one piece, to be copied.
        let long = lines.filter { $0.count > 80 && !$0.contains("line.sh") }
        #expect(long.isEmpty, "\(long)")
        #expect(try await machine.require("stat", "-c", "%U", "/srv/scans") == "kim\n")
        try await carryOut(lines.joined(separator: "\n"), machine)
      }
      #expect(try await machine.require("stat", "-c", "%a %U:%G", "/srv/scans") == "3770 waybill:waybill-drop\n")
    }
  }
}
