import ChildProcesses
import Foundation
import Testing

@testable import Harness

/// The Debian package on a machine with a real systemd: installed, upgraded, moved, removed.
@Suite(.slot, .needs(.systemd, .debhelper))
struct PackageTests {
  private static let refused: JSONValue = ["register": ["status": 422, "body": #"{"error":"number is taken"}"#]]

  /// Boots a machine, installs the first package, and configures it. Nothing is started.
  private func withPackage(
    faults: JSONValue? = nil, _ body: (_ rig: ServiceRig, _ words: String) async throws -> Void
  ) async throws {
    let folder = try TemporaryFolder()
    let sandbox = try await Sandbox(in: folder.url)
    if let faults { try await sandbox.fail(faults) }
    let package = try await DebianPackage.first.value
    try await withBareMachine { machine in
      let words = try await machine.type(["apt install \(package.seen)"])
      try await machine.require("useradd", "--groups", "waybill-drop", SystemdMachine.dropperName)
      let setup = ServiceSetup(storage: sandbox.storage, backend: sandbox.backend)
      try await body(ServiceRig(machine: machine, sandbox: sandbox, setup: setup), words)
    }
  }

  @Test func startsOnlyOnceConfigured() async throws {
    try await withPackage { rig, words in
      #expect(words.contains("Waybill is installed and not started"), "\(words)")
      for unit in ["waybill.service", "waybill.socket", "waybill-page.service"] {
        #expect(try await rig.machine.property("UnitFileState", of: unit) == "disabled", "\(unit)")
        #expect(try await rig.machine.property("ActiveState", of: unit) == "inactive", "\(unit)")
      }
      #expect(!rig.machine.has("/etc/waybill/waybill.toml"))
      // One command to go on with; by hand there is a page, and to try it there is the sandbox (runDemo).
      let told = try #require(words.components(separatedBy: "To go on:").dropFirst().first)
      let lines = told.split(separator: "\n").filter { $0.hasPrefix("  ") }.map {
        $0.trimmingCharacters(in: .whitespaces)
      }
      try #require(lines.count == 3, "\(words)")
      #expect(lines[0] == "waybill init" && lines[2].hasSuffix("waybill-sandbox demo"), "\(words)")
      let page = try #require(lines[1].split(separator: " ").last.map(String.init))
      #expect(rig.machine.has(page), "\(page)")
      let example = "/usr/share/doc/waybill/examples/waybill.toml"
      try await rig.machine.type(["install -m 640 -g waybill \(example) /etc/waybill/waybill.toml"])
      #expect(try rig.machine.read("/etc/waybill/waybill.toml").contains(example.replacing(".toml", with: "-all.toml")))
      for key in ["s3-access-key", "s3-secret-key", "backend-token"] {
        try rig.machine.write("/etc/waybill/keys/\(key)", "AKIDEXAMPLE\n")
      }
      let checked = try await rig.machine.type(["waybill check"])
      #expect(checked.contains("is valid: 1 storage, 1 backend, 1 spool"), "\(checked)")
      try rig.service.configure(rig.setup)
      try await rig.machine.type(["waybill check --probe", "systemctl enable --now waybill"])
      #expect(try await rig.service.property("UnitFileState") == "enabled")

      let job = try await rig.drop("scan 1.pdf", until: "registered")
      #expect(try rig.sandbox.registrations().map(\.body.id) == [job.id])
      let explained = try await rig.machine.require("journalctl", "--no-pager", "-x", "WAYBILL_EVENT=registered")
      #expect(explained.contains("Subject: Job 1 is uploaded and registered"), "\(explained)")
      for page in ["waybill.1", "waybilld.8", "waybill.toml.5", "waybill-api.7"] {
        #expect(rig.machine.has("/usr/share/man/man\(page.suffix(1))/\(page).gz"), "\(page)")
      }
      for file in [
        "bash-completion/completions/waybill", "zsh/vendor-completions/_waybill",
        "fish/vendor_completions.d/waybill.fish", "waybill/schemas/waybill.toml.json", "waybill/schemas/webhook.json",
        "doc/waybill/examples/waybill-all.toml", "doc/waybill/examples/archive.conf",
        "doc/waybill/docs/examples/receiver.py",
        "doc/waybill/docs/examples/receivers/receiver.php", "doc/waybill/docs/examples/notify/forward.py",
        "doc/waybill/docs/migrate.md", "doc/waybill/llms.txt",
      ] { #expect(rig.machine.has("/usr/share/" + file), "\(file)") }
    }
  }

  private static let demo = [
    "env", "-i", "PATH=/usr/bin:/bin", "HOME=/nonexistent", "PATIENCE=180", "sh", "-c",
    "cd /tmp && exec waybill-sandbox demo --once",
  ]

  /// The demo, by a user without a home, where there is neither a compiler nor curl.
  private func runDemo(_ machine: SystemdMachine) async throws {
    try await machine.require("useradd", "--no-create-home", "--shell", "/bin/sh", "visitor")
    try await machine.require(
      "sh", "-c", "rm -f /usr/bin/curl /usr/bin/cc /usr/bin/gcc /usr/bin/clang /usr/bin/swift* /usr/local/bin/swift*")
    let demo = try await machine.run(Self.demo, as: "visitor")
    #expect(demo.status == 0 && demo.output.contains("All of it worked."), "\(demo)")
    #expect(machine.has("/tmp/waybill-demo/far/registrations.jsonl"))
    // It leaves nothing that runs, and the service is not touched.
    #expect(try await machine.run("pgrep", "-x", "waybilld").status == 1)
    #expect(!machine.has("/etc/waybill/waybill.toml"))
  }

  /// A machine that does real work has no storage for trials.
  @Test func sandboxIsSeparatePackage() async throws {
    try await withBareMachine { machine in
      let package = try await DebianPackage.first.value
      try await machine.type(["apt install \(package.seen)"])
      for file in ["bin/waybill-sandbox", "share/man/man1/waybill-sandbox.1.gz", "share/waybill-sandbox/demo"] {
        #expect(!machine.has("/usr/" + file), "\(file)")
      }
      try await machine.type(["apt install \(package.seenSandbox)"])
      #expect(machine.has("/usr/share/man/man1/waybill-sandbox.1.gz"))
      #expect(try await machine.require("waybill-sandbox", "--help").contains("USAGE: waybill-sandbox"))
      try await runDemo(machine)
      // Its service runs only if somebody starts it.
      let unit = "waybill-sandbox.service"
      #expect(try await machine.property("ActiveState", of: unit) == "inactive")
      #expect(try await machine.property("UnitFileState", of: unit) == "static")
      try await machine.require("systemctl", "start", unit)
      let faults = ["waybill-sandbox", "faults", "http://127.0.0.1:9100"]
      try await until("it to serve") { try await machine.run(faults).status == 0 }
      #expect(try await machine.require(faults + [#"{"upload": {"status": 503}}"#]).contains(#""upload""#))
      #expect(try await machine.run(faults + ["{"]).status == 65)
      #expect(try await machine.require(faults) == "{}\n")
      try await machine.type(["apt remove waybill"])
      let alone = try await machine.run(Self.demo, as: "visitor")
      #expect(alone.status == 69 && alone.errors.contains("waybilld is not here: apt install waybill"), "\(alone)")
      try await machine.type(["apt remove waybill-sandbox"])
      #expect(try await machine.run("pgrep", "-x", "waybill-sandbox").status == 1)
      #expect(machine.has("/var/lib/private/waybill-sandbox"))
      try await machine.type(["apt purge waybill-sandbox"])
      #expect(!machine.has("/var/lib/private/waybill-sandbox") && !machine.has("/var/lib/waybill-sandbox"))
    }
  }

  /// Who needs no fleet gets no libpq; what is installed with it is not started until it is configured, and leaves with it.
  @Test func fleetIsSeparatePackage() async throws {
    try await withPackage { rig, _ in
      let machine = rig.machine
      #expect(!machine.has("/usr/bin/waybill-fleet") && !machine.has("/usr/share/man/man8/waybill-fleet.8.gz"))
      let package = try await DebianPackage.first.value
      let words = try await machine.type(["apt install \(package.seenFleet)"])
      for unit in ["waybill-fleet.service", "waybill-fleet-web.service"]
      where machine.has("/lib/systemd/system/" + unit) {
        #expect(try await machine.property("UnitFileState", of: unit) == "disabled")
        #expect(try await machine.property("ActiveState", of: unit) == "inactive")
      }
      for file in [
        "man/man8/waybill-fleet.8.gz", "man/man5/fleet.toml.5.gz", "bash-completion/completions/waybill-fleet",
        "doc/waybill-fleet/examples/fleet.toml", "waybill-fleet/schemas/fleet.toml.json",
      ] { #expect(machine.has("/usr/share/" + file), "\(file)") }
      #expect(try await machine.require("id", "-nG", "waybill-fleet") == "waybill-fleet waybill\n")
      #expect(try await machine.require("stat", "-c", "%a %U:%G", "/etc/waybill/fleet") == "750 root:waybill-fleet\n")

      // What the words say works as it stands, up to what is the operator's own.
      let told = try #require(words.components(separatedBy: "to go on:").dropFirst().first)
      let commands = told.split(separator: "\n").filter { $0.hasPrefix("  ") }.map {
        $0.trimmingCharacters(in: .whitespaces)
      }
      try #require(commands.count == 5, "\(words)")
      try await machine.type([commands[0]])
      #expect(
        try await machine.require("stat", "-c", "%a %U:%G", "/etc/waybill/fleet.toml") == "640 root:waybill-fleet\n")
      let database = "host=/nowhere dbname=waybill"
      try await machine.type(["sed -i 's|^database = .*|database = \"\(database)\"|' /etc/waybill/fleet.toml"])
      let check = try await machine.run("sh", "-c", commands[3])
      #expect(check.status == 69 && check.errors.contains("/nowhere"), "\(check)")
      try await machine.type([commands[4]])
      try await machine.until("ActiveState", of: "waybill-fleet.service", is: "active")
      let pid = try await machine.property("MainPID", of: "waybill-fleet.service")

      // An upgrade starts again what runs.
      let second = try await DebianPackage.second.value
      try await machine.type(["apt install \(second.seen) \(second.seenFleet)"])
      #expect(try await machine.property("ActiveState", of: "waybill-fleet.service") == "active")
      #expect(try await machine.property("MainPID", of: "waybill-fleet.service") != pid)

      // Another package's purge leaves its settings, and its own takes them.
      try await machine.type(["apt remove waybill-fleet"])
      #expect(!machine.has("/lib/systemd/system/waybill-fleet.service") && machine.has("/etc/waybill/fleet.toml"))
      #expect(try await machine.run("pgrep", "-x", "waybill-fleet").status == 1)
      try await machine.type(["apt purge waybill"])
      #expect(machine.has("/etc/waybill/fleet.toml"))
      try await machine.type(["apt purge waybill-fleet"])
      #expect(!machine.has("/etc/waybill"))
    }
  }

  @Test func jobsKeepIDThroughUpgrade() async throws {
    let second = try await DebianPackage.second.value
    try await withPackage(faults: Self.refused) { rig, _ in
      try rig.service.configure(rig.setup)
      let other = Service(machine: rig.machine, instance: "other")
      try await rig.openSpool("/var/spool/waybill/other")
      var further = rig.setup
      further.spool = "/var/spool/waybill/other"
      try other.configure(further)
      try await rig.machine.require("systemctl", "start", "waybill.socket")
      for service in [rig.service, other] { try await service.start() }
      // One asks, one waits behind a pause.
      let asking = try await rig.drop("asks.pdf", until: "awaiting-confirmation")
      #expect(try await rig.service.waybill("pause").status == 0)
      let paused = try await rig.drop("waits.pdf", until: "queued")
      let pids = [try await rig.service.pid(), try await other.pid()]

      let commands = try InstallPage.commands("Upgrade")
      let output = try await rig.machine.type(commands, package: second)
      #expect(try await rig.machine.installed() == second.version)
      #expect(!output.contains("did not start again") && !output.contains("Waybill is installed and not"), "\(output)")
      // The next upgrade's backup has room beside this one.
      try await rig.machine.type(Array(commands.prefix(1)))
      for (service, pid) in zip([rig.service, other], pids) {
        #expect(try await service.property("ActiveState") == "active")
        #expect(try await service.pid() != pid, "the new program has to run")
        // A stop in order, and not the end of a process that was in the way.
        #expect(try await service.entries("WAYBILL_EVENT=stopping").count == 1)
      }
      #expect(try await rig.machine.property("ActiveState", of: "waybill.socket") == "active")
      // What was neither enabled nor running is neither now.
      #expect(try await rig.service.property("UnitFileState") == "disabled")
      #expect(try await rig.machine.property("ActiveState", of: "waybill-page.service") == "inactive")

      #expect(try await rig.service.job(named: "asks.pdf", in: "awaiting-confirmation").id == asking.id)
      #expect(try await rig.service.job(named: "waits.pdf", in: "queued").id == paused.id)
      try await rig.sandbox.recover()
      #expect(try await rig.service.waybill("confirm", "1").status == 0)
      #expect(try await rig.service.waybill("resume").status == 0)
      for (name, id) in [("asks.pdf", asking.id), ("waits.pdf", paused.id)] {
        #expect(try await rig.service.job(named: name, in: "registered").id == id)
      }
      #expect(Set(try rig.sandbox.registrations().map(\.body.id)) == [asking.id, paused.id])
    }
  }

  @Test func removeAndPurgeKeepUnsentFiles() async throws {
    try await withPackage(faults: Self.refused) { rig, _ in
      let machine = rig.machine
      try rig.service.configure(rig.setup)
      // A spool elsewhere is known from the configuration alone.
      try await rig.openSpool("/srv/scans")
      try machine.write(
        "/etc/waybill/waybill.d/scans.toml", "[[spool]]\npath = \"/srv/scans\"\nsettle_unseen = \"200ms\"\n")
      try await machine.dropIn("scans", for: rig.service.unit, "[Service]\nReadWritePaths=-/srv/scans\n")
      try await machine.type(["systemctl enable --now waybill.socket waybill"])
      // A directory of another name is an instance's only if there is a configuration.
      for path in ["/var/lib/waybill-backups", "/var/lib/waybill-second", "/run/waybill-mine"] {
        try machine.write("\(path)/file", "")
      }
      try machine.write("/etc/waybill/second.toml", "")
      let asking = try await rig.drop("asks.pdf", until: "awaiting-confirmation")
      try await rig.drop("elsewhere.pdf", in: "/srv/scans")
      let elsewhere = try await rig.service.job(named: "elsewhere.pdf", in: "awaiting-confirmation")

      let removed = try await machine.type(try InstallPage.commands("Removal"))
      #expect(try await machine.installed() == nil)
      #expect(removed.contains("/var/spool/waybill/documents:") && removed.contains("/srv/scans:"), "\(removed)")
      #expect(!machine.has("/usr/bin/waybilld") && !machine.has("/lib/systemd/system/waybill.service"))
      #expect(try await machine.property("LoadState", of: "waybill.service") == "not-found")
      #expect(try await machine.run("pgrep", "-x", "waybilld").status == 1, "neither it nor its socket is left")
      #expect(machine.has(asking.path.string ?? "?") && machine.has(elsewhere.path.string ?? "?"))

      let purged = try await machine.type(["apt purge waybill"])
      #expect(purged.contains("not everything is removed"), "\(purged)")
      #expect(purged.contains("/var/spool/waybill/documents:") && purged.contains("/srv/scans:"), "\(purged)")
      #expect(machine.has(asking.path.string ?? "?") && machine.has(elsewhere.path.string ?? "?"))
      #expect(machine.has("/var/lib/waybill/ledger.sqlite") && machine.has("/etc/waybill/waybill.toml"))
      #expect(!machine.has("/etc/waybill/keys"))

      // Installed again, and with keys, it goes on with all of it.
      try await rig.sandbox.recover()
      try rig.service.configure(rig.setup)
      try await rig.openSpool("/srv/photos")
      try machine.write(
        "/etc/waybill/waybill.d/photos.toml",
        "[[spool]]\npath = \"/srv/photos\"\nafter = \"keep\"\nsettle_unseen = \"200ms\"\n")
      try await machine.type(["apt install \(try await DebianPackage.first.value.seen)"])
      try await machine.type(["systemctl start waybill"])
      #expect(try await rig.service.waybill("resume", "--intake").status == 0)
      #expect(try await rig.service.waybill("confirm", "--all").status == 0)
      for job in [asking, elsewhere] {
        #expect(try await rig.service.job(named: job.name.string ?? "?", in: "registered").id == job.id)
      }
      try await until("both files to be gone") {
        !machine.has(asking.path.string ?? "?") && !machine.has(elsewhere.path.string ?? "?")
      }
      // A file that was sent and stays where it is keeps nothing back, and is left there.
      try await rig.drop("photo.jpg", in: "/srv/photos")
      _ = try await rig.service.job(named: "photo.jpg", in: "registered")
      let last = try await machine.type(["apt purge waybill"])
      #expect(!last.contains("not everything"), "\(last)")
      for path in [
        "/var/lib/waybill", "/var/lib/waybill-second", "/var/spool/waybill", "/etc/waybill", "/srv/scans/.waybill",
        "/run/waybill",
      ] {
        #expect(!machine.has(path), "\(path)")
      }
      #expect(machine.has("/srv/photos/photo.jpg"))
      for path in ["/srv/scans", "/var/lib/waybill-backups", "/run/waybill-mine"] {
        #expect(machine.has(path), "the operator made \(path)")
      }
      #expect(try await machine.run("getent", "passwd", "waybill").status == 0)
      #expect(!machine.has("/etc/systemd/system/multi-user.target.wants/waybill.service"))
    }
  }

  @Test func jobsKeepIDOnOtherHost() async throws {
    let package = try await DebianPackage.first.value
    try await withPackage(faults: Self.refused) { old, _ in
      try old.service.configure(old.setup)
      try await old.machine.type(["systemctl enable --now waybill"])
      let asking = try await old.drop("asks.pdf", until: "awaiting-confirmation")
      #expect(try await old.service.waybill("pause").status == 0)
      let paused = try await old.drop("waits.pdf", until: "queued")
      try await old.machine.type(try InstallPage.commands("Move to a new machine", prompt: "old#"))
      #expect(try await old.service.property("UnitFileState") == "disabled")

      try await withBareMachine { machine in
        // Another host has given its numbers of users to others.
        try await machine.require("useradd", "--system", "somebody-else")
        let copy = "/root/waybill.tar.gz"
        try FileManager.default.copyItem(atPath: old.machine.outside(copy), toPath: machine.outside(copy))
        try await machine.type(try InstallPage.commands("Move to a new machine", prompt: "new#"), package: package)
        let new = Service(machine: machine)
        let uids = [old.machine, machine].map { machine in
          Task { try await machine.require("id", "-u", "waybill") }
        }
        #expect(try await uids[0].value != uids[1].value, "the test is to show that owners go by name")
        #expect(try await new.property("ActiveState") == "active")
        #expect(try await new.job(named: "asks.pdf", in: "awaiting-confirmation").id == asking.id)
        #expect(try await new.job(named: "waits.pdf", in: "queued").id == paused.id)

        try await old.sandbox.recover()
        #expect(try await new.waybill("confirm", "1").status == 0)
        #expect(try await new.waybill("resume").status == 0)
        for (name, job) in [("asks.pdf", asking), ("waits.pdf", paused)] {
          #expect(try await new.job(named: name, in: "registered").id == job.id)
        }
        #expect(Set(try old.sandbox.registrations().map(\.body.id)) == [asking.id, paused.id])
        // The server is asked only for what the old host had not done.
        #expect(try await old.sandbox.objects().count == 2)

        // Who may drop there may drop here, and the daemon may take it.
        try await machine.require("useradd", "--groups", "waybill-drop", SystemdMachine.dropperName)
        let rig = ServiceRig(machine: machine, sandbox: old.sandbox, setup: old.setup)
        try await rig.drop("new.pdf", until: "registered")
      }
    }
  }
}
