import ChildProcesses
import Foundation
import Testing

@testable import Harness

/// `waybill init` as a new user has it: on a machine where the package was just installed, under a real systemd.
@Suite(.slot, .needs(.systemd, .acl))
struct InitTests: NewMachineTests {
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

  /// A run that ends before the configuration is written can be made again, and one that ends after it says what is left.
  @Test func runThatWasCutGoesOn() async throws {
    try await withNewMachine { machine, sandbox in
      let program = try await machine.require("sh", "-c", "command -v usermod").trimmingCharacters(in: .newlines)
      try await machine.require("mv", program, program + ".away")
      let cut = try await machine.run(words(sandbox, ["--user", "kim"]))
      #expect(cut.status != 0 && cut.errors.contains("usermod"), "\(cut)")
      #expect(cut.output.contains("\nnot done:\n  usermod -a -G waybill,waybill-drop kim\n"), "\(cut.output)")
      #expect(
        cut.output.contains("/dev/stdin /etc/waybill/waybill.toml << 'END'")
          && !machine.has("/etc/waybill/waybill.toml"))
      try await machine.require("mv", program + ".away", program)
      let whole = try await machine.require(words(sandbox, ["--user", "kim", "--no-start"]))
      #expect(!whole.contains("not done:") && !whole.contains("/dev/stdin /etc/waybill/keys/"), "\(whole)")
      #expect(try await machine.require("id", "-nG", "kim").contains("waybill-drop"))

      let again = try await machine.run(words(sandbox, ["--user", "kim"]))
      let start = "systemctl enable --now waybill.service"
      #expect(
        again.status == 1
          && again.errors.contains("is there, and stays. Its service is neither enabled nor running: \(start)."),
        "\(again)")
      try await machine.type([start])
      try await until("it to run") { try await Service(machine: machine).property("ActiveState") == "active" }
      let last = try await machine.run(words(sandbox))
      #expect(last.status == 1 && !last.errors.contains("not started"), "\(last)")
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

  @Test func homeSpoolGetsDropIn() async throws {
    try await withNewMachine { machine, sandbox in
      try await machine.require("install", "-d", "-o", "kim", "-g", "kim", "-m", "755", "/home/kim")
      let refused = try await machine.run(words(sandbox, ["--spool", "/home/kim"]))
      #expect(
        refused.status == 1 && refused.errors.contains("/home/kim belongs to kim:kim, and stays so"), "\(refused)")
      let output = try await machine.require(words(sandbox, ["--spool", "/home/kim/out", "--user", "kim"]))
      #expect(output.contains("/waybill.service.d/spool-home-kim-out.conf\n  systemctl daemon-reload"), "\(output)")
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
