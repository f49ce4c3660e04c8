import ChildProcesses
import Foundation
import Testing

@testable import Harness

/// `waybill init` as a new user has it: on a machine where the package was just installed, under a real systemd.
@Suite(.slot, .needs(.systemd, .acl))
struct InitTests: NewMachineTests {
  @Test func firstFileByOptions() async throws {
    try await withNewMachine { machine, sandbox in
      let output = try await machine.require(words(sandbox))
      #expect(output.contains("waybill add FILE --spool documents --wait\n"), "\(output)")
      #expect(output.contains("usermod -aG waybill,waybill-drop NAME"), "\(output)")
      // Nothing goes into the backend unless somebody asks for it.
      #expect(try sandbox.registrations().isEmpty)
      try await carryOut(output, machine)
      try await dropFirstFile(machine)
      #expect(try sandbox.registrations().count == 1)
      let before = try await checksums(machine)
      // Nothing is changed a second time, whatever is asked for.
      let again = try await machine.run(words(sandbox, ["--spool", "/srv/other"]))
      #expect(again.status == 1 && again.errors.contains("/etc/waybill/waybill.toml is there, and stays"), "\(again)")
      #expect(try await checksums(machine) == before && !machine.has("/srv/other"))
    }
  }

  @Test func probeFaultNamesFiles() async throws {
    try await withNewMachine { machine, sandbox in
      let wrong = try await machine.run(words(sandbox, secret: "wrong"))
      #expect(wrong.status == 78 && wrong.output.contains("\nThen, as root:\n"), "\(wrong)")
      #expect(wrong.errors.contains("correct /etc/waybill/waybill.toml or its keys"), "\(wrong)")
      try machine.write("/etc/waybill/keys/s3-secret-key", sandbox.storage.secretKey + "\n")
      try await machine.require("waybill", "check", "--no-spools", "--probe")
    }
  }

  /// A run after one that was cut uses what is there, and tells how to start what is complete.
  @Test func runThatWasCutGoesOn() async throws {
    try await withNewMachine { machine, sandbox in
      // The second key cannot be written.
      try await machine.require("mkdir", "/etc/waybill/keys/s3-secret-key")
      let more = ["--spool", "/srv/scans"]
      let cut = try await machine.run(words(sandbox, more))
      #expect(cut.status == 1 && !machine.has("/etc/waybill/waybill.toml"), "\(cut)")
      try await machine.require("rmdir", "/etc/waybill/keys/s3-secret-key")
      let whole = try await machine.require(words(sandbox, more))
      #expect(whole.contains("  systemctl daemon-reload\n  systemctl enable --now waybill.service\n"), "\(whole)")
      #expect(try await Service(machine: machine).property("ActiveState") == "inactive")

      let last = try await machine.run(words(sandbox, more))
      #expect(
        last.status == 1
          && last.errors.contains("is there, and stays. To start it: systemctl enable --now waybill.service"), "\(last)"
      )
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
      try await machine.require(words(sandbox))
      #expect(
        try await machine.require("stat", "-c", "%a %U:%G", "/etc/waybill/keys/s3-access-key") == "640 root:waybill\n")
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
      #expect(try await checksums(machine) == before)

      // As in a container.
      let bare = try await apart("mount -t tmpfs tmpfs /run/systemd", words(sandbox))
      #expect(bare.status == 0 && !bare.output.contains("systemctl"), "\(bare)")
      #expect(bare.output.contains("\n  waybilld --config /etc/waybill/waybill.toml\n"), "\(bare.output)")
    }
  }
}
