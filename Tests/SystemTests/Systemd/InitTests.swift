import ChildProcesses
import Foundation
import Testing

@testable import Harness

/// `waybill init` as a new user has it: on a machine where the package was just installed, under a real systemd.
@Suite(.slot, .needs(.systemd, .acl))
struct InitTests {
  /// A machine as the package leaves it, and servers beside it.
  private func withNewMachine(
    _ body: (SystemdMachine, Sandbox) async throws -> Void
  ) async throws {
    let folder = try TemporaryFolder()
    let sandbox = try await Sandbox(in: folder.url)
    defer { sandbox.cut() }
    try await withMachine { try await body($0, sandbox) }
    folder.remove()
  }

  /// A terminal with 80 columns whose shell runs commands in the machine.
  private func withTerminal(_ body: (TerminalScreen) async throws -> Void) async throws {
    let folder = try TemporaryFolder()
    let screen = try await TerminalScreen(in: folder.url, columns: 80, environment: ["TERM": "xterm"])
    do {
      try await body(screen)
    } catch {
      await screen.close()
      throw error
    }
    await screen.close()
  }

  /// A line that runs a command in the machine.
  private func line(_ machine: SystemdMachine, _ words: [String]) -> String {
    machine.words(words).map { "'\($0)'" }.joined(separator: " ")
  }

  /// The options of a setup against the sandbox, with keys from the environment.
  private func words(_ sandbox: Sandbox, _ more: [String] = [], secret: String? = nil) -> [String] {
    let storage = sandbox.storage
    return [
      "env", "AWS_ACCESS_KEY_ID=\(storage.accessKey)", "AWS_SECRET_ACCESS_KEY=\(secret ?? storage.secretKey)",
      "waybill", "init", "--yes", "--keys", "env", "--endpoint", storage.endpoint, "--bucket", storage.bucket,
      "--backend", sandbox.backend,
    ] + more
  }

  /// Everything that a setup may write, by its checksum.
  private func checksums(_ machine: SystemdMachine) async throws -> String {
    try await machine.require(
      "sh", "-c", "find /etc/waybill /etc/systemd /etc/group /var/spool/waybill -ls -type f -exec sha256sum {} + | sort"
    )
  }

  /// From the installed package to the first file, with an S3 server and a backend that others wrote.
  @Test(.needs(.debhelper, .tmux, .s3Server, .httpBin)) func firstFileAtTerminal() async throws {
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
        try await screen.run(line(machine, ["env", "SUDO_USER=kim", "SUDO_UID=\(id)", "waybill", "init"]))
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

  @Test func firstFileByOptions() async throws {
    try await withNewMachine { machine, sandbox in
      let output = try await machine.require(words(sandbox, ["--user", "kim"]))
      #expect(output.contains("uploaded and registered after") && !output.contains("not done:"), "\(output)")
      #expect(try sandbox.registrations().count == 1)
      let before = try await checksums(machine)
      // Nothing is changed a second time, whatever is asked for.
      let again = try await machine.run(words(sandbox, ["--user", "kim", "--spool", "/srv/other"]))
      #expect(again.status == 1 && again.errors.contains("/etc/waybill/waybill.toml is there, and stays"), "\(again)")
      #expect(try await checksums(machine) == before && !machine.has("/srv/other"))
    }
  }

  @Test func probeFaultStopsBeforeStart() async throws {
    try await withNewMachine { machine, sandbox in
      let before = try await checksums(machine)
      let wrong = try await machine.run(words(sandbox, secret: "wrong"))
      #expect(wrong.status == 78 && wrong.output.contains("\nnot done:\n"), "\(wrong)")
      #expect(wrong.output.contains("rm /etc/waybill/keys/s3-secret-key"), "\(wrong.output)")
      #expect(try await checksums(machine) == before)
      #expect(try await Service(machine: machine).property("ActiveState") == "inactive")
      try await machine.require(words(sandbox))
      #expect(try sandbox.registrations().count == 1)
    }
  }

  @Test func keysThatAreThereStay() async throws {
    try await withNewMachine { machine, sandbox in
      try machine.write("/etc/waybill/keys/s3-secret-key", "another\n")
      let refused = try await machine.run(words(sandbox))
      #expect(refused.status == 1, "\(refused)")
      #expect(refused.errors.contains("/etc/waybill/keys/s3-secret-key is there with other bytes, and stays"))
      #expect(try machine.read("/etc/waybill/keys/s3-secret-key") == "another\n")
      #expect(!machine.has("/etc/waybill/keys/s3-access-key") && !machine.has("/etc/waybill/waybill.toml"))
      // The same bytes are no obstacle.
      try machine.write("/etc/waybill/keys/s3-secret-key", sandbox.storage.secretKey + "\n")
      let output = try await machine.require(words(sandbox))
      #expect(!output.contains("/dev/stdin /etc/waybill/keys/s3-secret-key"), "\(output)")
      #expect(output.contains("/dev/stdin /etc/waybill/keys/s3-access-key"), "\(output)")
    }
  }

  /// Interrupted at the question, while it tries the storage, and while the first file is on its way.
  @Test(.needs(.tmux)) func interruptedRunGoesOn() async throws {
    try await withNewMachine { machine, sandbox in
      let before = try await checksums(machine)
      try await withTerminal { screen in
        try await screen.run(line(machine, ["waybill", "init"]))
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
        try await screen.run(line(machine, words(sandbox)))
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
        try await screen.run(line(machine, words(sandbox)))
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

  @Test func homeSpoolGetsDropIn() async throws {
    try await withNewMachine { machine, sandbox in
      try await machine.require("install", "-d", "-o", "kim", "-g", "kim", "-m", "755", "/home/kim")
      let refused = try await machine.run(words(sandbox, ["--spool", "/home/kim"]))
      #expect(
        refused.status == 1 && refused.errors.contains("/home/kim belongs to kim:kim, and stays so"), "\(refused)")
      let output = try await machine.require(words(sandbox, ["--spool", "/home/kim/out", "--user", "kim"]))
      #expect(output.contains("waybill spool-dropin /home/kim/out\n  systemctl daemon-reload"), "\(output)")
      #expect(try sandbox.registrations().count == 1)
    }
  }

  /// Storage and backend are the sandbox, as its package has it.
  @Test func sandboxBoth() async throws {
    let binds = SystemdMachine.programs.merging(["/usr/bin/waybill-sandbox": Products.sandbox]) { $1 }
    try await withMachine(binds: binds) { machine in
      try await machine.installUnits()
      let unit = "/usr/lib/systemd/system/waybill-sandbox.service"
      let text = machine.has(unit) ? try machine.read(unit) : LocalSandboxUnit.text
      try await machine.require("rm", "-f", unit)
      let without = try await machine.run("waybill", "init", "--yes", "--sandbox")
      #expect(without.status == 1 && without.errors.contains("install the package waybill-sandbox"), "\(without)")
      try machine.write(unit, text)
      try await machine.require("systemctl", "daemon-reload")
      let output = try await machine.require("waybill", "init", "--yes", "--sandbox")
      #expect(output.contains("systemctl start waybill-sandbox.service"), "\(output)")
      #expect(output.contains("registered after") && output.contains("http://127.0.0.1:9100/register"), "\(output)")
    }
  }

  /// A wrong secret is noticed before anything is written, and another one can be typed.
  @Test(.needs(.tmux)) func changedAnswersAreTriedAgain() async throws {
    try await withNewMachine { machine, sandbox in
      try await withTerminal { screen in
        try await screen.run(line(machine, ["waybill", "init", "--endpoint", sandbox.storage.endpoint]))
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

  /// Nothing is begun that cannot be ended, and what cannot be done is left to the person.
  @Test func tellsWhatIsInTheWay() async throws {
    try await withNewMachine { machine, sandbox in
      func apart(_ preparation: String, _ words: [String]) async throws -> Command {
        try await machine.run(["unshare", "-m", "sh", "-c", preparation + #" && exec "$@""#, "sh"] + words)
      }
      let before = try await checksums(machine)
      let readOnly = try await apart("mount --bind /etc /etc && mount -o remount,ro,bind /etc", words(sandbox))
      #expect(readOnly.status == 1 && readOnly.errors.contains("Read-only file system"), "\(readOnly)")
      let nobody = try await machine.run(words(sandbox, ["--user", "nobody-here"]))
      #expect(nobody.status == 1 && nobody.errors == "waybill: there is no user nobody-here\n", "\(nobody)")
      #expect(try await checksums(machine) == before)

      try await machine.require("systemctl", "mask", "waybill@second.service")
      let masked = try await machine.run(
        words(sandbox, ["--instance", "second", "--spool", "/var/spool/waybill/second"]))
      #expect(masked.status == 1 && masked.errors.contains("waybill@second.service is masked"), "\(masked)")
      #expect(
        masked.output.contains("not done:\n  systemctl enable --now waybill@second.service\n"), "\(masked.output)")

      // As in a container.
      let bare = try await apart("mount -t tmpfs tmpfs /run/systemd", words(sandbox))
      #expect(bare.status == 0 && !bare.output.contains("systemctl"), "\(bare)")
      #expect(bare.output.contains("Start it with: waybilld --config /etc/waybill/waybill.toml"), "\(bare.output)")
      #expect(try await Service(machine: machine).property("ActiveState") == "inactive")
    }
  }

  @Test func questionAboutFirstFileIsTold() async throws {
    try await withNewMachine { machine, sandbox in
      // The first request is the trial.
      try await sandbox.fail(["register": ["statuses": [200, 422]]])
      let asked = try await machine.run(words(sandbox))
      #expect(asked.status == 1 && asked.errors.contains("waybill ask"), "\(asked)")
      #expect(asked.errors.contains("Answer with: waybill confirm 1"), "\(asked.errors)")
      try await sandbox.recover()
      try await machine.require("waybill", "confirm", "1")
      try await Service(machine: machine).job(named: "waybill-init.txt", in: "registered")
    }
  }

  @Test func instanceIsSetUpBesideTheOne() async throws {
    try await withNewMachine { machine, sandbox in
      try await machine.require(words(sandbox))
      let more = ["--instance", "second", "--spool", "/var/spool/waybill/second"]
      let output = try await machine.require(words(sandbox, more))
      #expect(output.contains("systemctl enable --now waybill@second.service"), "\(output)")
      #expect(machine.has("/etc/waybill/second.toml") && machine.has("/etc/waybill/keys/second-s3-access-key"))
      #expect(try sandbox.registrations().count == 2)
    }
  }
}

/// The unit of the sandbox, for machines where its package is not installed.
private enum LocalSandboxUnit {
  static let text = """
    [Service]
    DynamicUser=yes
    StateDirectory=waybill-sandbox
    ExecStart=/usr/bin/waybill-sandbox --port 9100 --data /var/lib/waybill-sandbox --bucket documents

    """
}
