import ChildProcesses
import Foundation
import Testing

@testable import Harness

/// `waybill init` as a person has it, at a terminal with 80 columns.
@Suite(.slot, .needs(.systemd, .acl, .tmux))
struct InitTerminalTests: NewMachineTests {
  /// From the installed package to the first file, with an S3 server and a backend that others wrote.
  @Test(.needs(.debhelper, .s3Server, .httpBin)) func firstFileAtTerminal() async throws {
    let storage = try RealS3.storage()
    try await withBareMachine { machine in
      try await machine.type(["apt install \(try await DebianPackage.first.value.seen)"])
      try await machine.require("useradd", "--create-home", SystemdMachine.dropperName)
      try machine.write(
        "/home/kim/.config/rclone/rclone.conf",
        """
        [ceph]
        type = s3
        provider = Ceph
        access_key_id = \(storage.accessKey)
        secret_access_key = \(storage.secretKey)
        endpoint = \(storage.endpoint)

        """)
      let id = try await machine.require("id", "-u", "kim").trimmingCharacters(in: .newlines)
      try await withTerminal { screen in
        let began = ContinuousClock.now
        try await screen.run(typedLine(machine, ["env", "SUDO_USER=kim", "SUDO_UID=\(id)", "waybill", "init"]))
        try await screen.shows("/home/kim/.config/rclone/rclone.conf, remote ceph")
        var questions = 0
        func answer(_ prompt: String, _ text: String) async throws {
          try await screen.shows(prompt)
          if !text.isEmpty { try await screen.type(text) }
          try await screen.press("Enter")
          questions += 1
        }
        try await answer("Keys [1]:", "")
        try await answer("Bucket:", storage.bucket)
        try await answer("Backend:", try HTTPBin.url("/anything"))
        try await answer("Token of the backend", "hidden-token")
        try await answer("Directory that files", "")
        try await answer("Do it? [Y/n]", "")
        let status = try await screen.ended()
        let seconds = (ContinuousClock.now - began).components.seconds
        let lines = try await screen.lines()
        #expect(status == 0, "\(lines.joined(separator: "\n"))")
        #expect(lines.contains { $0.contains("uploaded and registered after") }, "\(lines.joined(separator: "\n"))")
        #expect(!lines.contains { $0.contains("hidden-token") || $0.contains(storage.secretKey) })
        // The first line is what the test types.
        #expect(lines.dropFirst().allSatisfy { $0.count <= 80 }, "\(lines.filter { $0.count > 80 })")
        #expect(questions <= 9 && seconds < 300)
        let settings = try screen.settings()
        #expect(settings.before == settings.after)
        print("waybill init: \(questions) questions, \(seconds) s to the first registered file")
      }
      // What it made has the owners and modes that the page and the package give.
      #expect(
        try await machine.require(
          "stat", "-c", "%a %U:%G %n", "/etc/waybill/waybill.toml", "/etc/waybill/keys",
          "/etc/waybill/keys/s3-access-key", "/etc/waybill/keys/s3-secret-key", "/etc/waybill/keys/backend-token",
          "/var/spool/waybill/documents") == """
            640 root:waybill /etc/waybill/waybill.toml
            500 waybill:root /etc/waybill/keys
            440 root:waybill /etc/waybill/keys/s3-access-key
            440 root:waybill /etc/waybill/keys/s3-secret-key
            440 root:waybill /etc/waybill/keys/backend-token
            3770 waybill:waybill-drop /var/spool/waybill/documents

            """)
      let service = Service(machine: machine)
      #expect(try await service.property("UnitFileState") == "enabled")
      let groups = try await machine.require("id", "-nG", "kim").split(whereSeparator: \.isWhitespace)
      #expect(groups.contains("waybill") && groups.contains("waybill-drop"), "\(groups)")
      // And the person drops the next one.
      try await machine.require(
        ["sh", "-c", "echo text > /var/spool/waybill/documents/mine.txt"], as: SystemdMachine.dropperName)
      try await service.job(named: "mine.txt", in: "registered")
    }
  }

  /// Interrupted at the question, while it tries the storage, and while the first file is on its way.
  @Test func interruptedRunGoesOn() async throws {
    try await withNewMachine { machine, sandbox in
      let before = try await checksums(machine)
      try await withTerminal { screen in
        try await screen.run(typedLine(machine, ["waybill", "init"]))
        try await screen.shows("Keys [t]:")
        try await screen.press("Enter")
        try await screen.shows("Id of the key:")
        try await screen.type("id")
        try await screen.press("Enter")
        try await screen.shows("Secret of the key")
        try await screen.press("C-c")
        #expect(try await screen.ended() == 130)
        let settings = try screen.settings()
        #expect(settings.before == settings.after, "the terminal shows again what is typed")
      }
      #expect(try await checksums(machine) == before)

      try await sandbox.fail(["upload": ["hold": true]])
      try await withTerminal { screen in
        try await screen.run(typedLine(machine, words(sandbox)))
        try await screen.shows("trying the storage")
        try await sandbox.receives("upload")
        try await screen.press("C-c")
        #expect(try await screen.ended() == 130)
        let lines = try await screen.lines()
        #expect(lines.contains("not done:") && lines.contains("  systemctl enable --now waybill.service"), "\(lines)")
      }
      #expect(!machine.has("/etc/waybill/waybill.toml"))
      try await sandbox.recover()
      try await sandbox.fail(["register": ["latency_ms": 5000]])
      try await withTerminal { screen in
        try await screen.run(typedLine(machine, words(sandbox)))
        try await screen.shows("dropping waybill-init.txt")
        // The first one was the trial.
        try await sandbox.receives("register", 2)
        try await screen.press("C-c")
        #expect(try await screen.ended() == 130)
        // The keys of the first run were kept.
        #expect(try await screen.lines().allSatisfy { !$0.contains("/dev/stdin /etc/waybill/keys/") })
      }
      // It goes on by itself.
      try await sandbox.recover()
      try await Service(machine: machine).job(named: "waybill-init.txt", in: "registered")
    }
  }

  /// A wrong secret is noticed before anything is written, and another one can be typed.
  @Test func changedAnswersAreTriedAgain() async throws {
    try await withNewMachine { machine, sandbox in
      try await withTerminal { screen in
        try await screen.run(typedLine(machine, ["waybill", "init", "--endpoint", sandbox.storage.endpoint]))
        func answer(_ prompt: String, _ times: Int, _ text: String = "") async throws {
          try await screen.shows(prompt, times: times)
          if !text.isEmpty { try await screen.type(text) }
          try await screen.press("Enter")
        }
        for (times, secret) in [(1, "wrong"), (2, sandbox.storage.secretKey)] {
          try await answer("Keys [t]:", times)
          try await answer("Id of the key:", times, sandbox.storage.accessKey)
          try await answer("Secret of the key", times, secret)
          // The option does not count any more, since it may have been the fault.
          if times == 2 {
            try await answer("Storage [1]:", 1, "18")
            try await answer("Address of the storage:", 1, sandbox.storage.endpoint)
          }
          try await answer("Bucket:", times, sandbox.storage.bucket)
          try await answer("Backend:", times, sandbox.backend)
          try await answer("Token of the backend", times)
          // These two were right, whatever the fault was.
          if times == 1 {
            try await answer("Directory that files", 1)
            try await answer("Who drops files", 1, SystemdMachine.dropperName)
          }
          try await answer("Do it? [Y/n]", times)
          if times == 1 { try await answer("Change the answers (c)", 1) }
        }
        #expect(try await screen.ended() == 0)
        let lines = try await screen.lines()
        #expect(lines.contains("  rm /etc/waybill/keys/s3-secret-key"), "\(lines)")
        #expect(
          lines.contains { $0.contains("registered after") } && !lines.contains { $0.contains("wrong") }, "\(lines)")
      }
      #expect(try machine.read("/etc/waybill/keys/s3-secret-key") == sandbox.storage.secretKey + "\n")
    }
  }

  /// Keys and directories that are there already are used only if the person says so.
  @Test func settlesWhatIsInTheWay() async throws {
    try await withNewMachine { machine, sandbox in
      try machine.write("/etc/waybill/keys/s3-secret-key", sandbox.storage.secretKey + "\n")
      try await machine.require("install", "-d", "-o", "kim", "-g", "kim", "-m", "755", "/srv/scans")
      let options = [
        "--endpoint", sandbox.storage.endpoint, "--bucket", sandbox.storage.bucket, "--backend", sandbox.backend,
        "--backend-token-file", "/etc/hostname", "--spool", "/srv/scans", "--user", "kim",
      ]
      try await withTerminal { screen in
        func answer(_ prompt: String, _ text: String = "") async throws {
          try await screen.shows(prompt)
          if !text.isEmpty { try await screen.type(text) }
          try await screen.press("Enter")
        }
        func typeKeys() async throws {
          try await screen.run(typedLine(machine, ["waybill", "init"] + options))
          try await answer("Keys [t]:")
          try await answer("Id of the key:", sandbox.storage.accessKey)
          try await answer("Secret of the key", "mistyped")
          try await answer("Use it as it is?")
        }
        try await typeKeys()
        try await answer("Change it as above?")
        #expect(try await screen.ended() == 1)
        #expect(try await machine.require("stat", "-c", "%U", "/srv/scans") == "kim\n")
        try await screen.clear()
        try await typeKeys()
        try await answer("Change it as above?", "y")
        try await answer("Do it? [Y/n]")
        #expect(try await screen.ended() == 0)
        let lines = try await screen.lines()
        #expect(lines.allSatisfy { $0.count <= 80 || $0.contains("line.sh") }, "\(lines.filter { $0.count > 80 })")
      }
      #expect(try machine.read("/etc/waybill/keys/s3-secret-key") == sandbox.storage.secretKey + "\n")
      #expect(try await machine.require("stat", "-c", "%a %U:%G", "/srv/scans") == "3770 waybill:waybill-drop\n")
      #expect(try sandbox.registrations().count == 1)
    }
  }
}
