import ChildProcesses
import Foundation
import Testing

@testable import Harness

/// `waybill init` as a new user has it: on a machine where the package was just installed, under a real systemd.
@Suite(.slot, .needs(.systemd, .acl))
struct InitTests: NewMachineTests {
  @Test func firstFileByOptions() async throws {
    try await withNewMachine { machine, sandbox in
      func apart(_ preparation: String, _ words: [String]) async throws -> Command {
        try await machine.run(["unshare", "-m", "sh", "-c", preparation + #" && exec "$@""#, "sh"] + words)
      }
      let fresh = try await checksums(machine)
      // Nothing is begun that cannot be ended.
      let readOnly = try await apart("mount --bind /etc /etc && mount -o remount,ro,bind /etc", words(sandbox))
      #expect(readOnly.status == 1 && readOnly.errors.contains("Read-only file system"), "\(readOnly)")
      #expect(try await checksums(machine) == fresh)

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

  /// A run after one that was cut uses what is there, and tells how to start what is complete.
  @Test func runThatWasCutGoesOn() async throws {
    try await withNewMachine { machine, sandbox in
      let key = "/etc/waybill/keys/s3-secret-key"
      let more = ["--spool", "/srv/scans"]
      // The second key cannot be written.
      try await machine.require("mkdir", key)
      let cut = try await machine.run(words(sandbox, more))
      #expect(cut.status == 1 && !machine.has("/etc/waybill/waybill.toml"), "\(cut)")
      try await machine.require("rmdir", key)
      // Another key under its name stays.
      try machine.write(key, "another\n")
      let refused = try await machine.run(words(sandbox, more))
      #expect(refused.status == 1, "\(refused)")
      #expect(refused.errors.contains("\(key) is there with other bytes, and stays"), "\(refused)")
      #expect(try machine.read(key) == "another\n" && !machine.has("/etc/waybill/waybill.toml"))

      // The same bytes are no obstacle. What a probe finds wrong is told with the files.
      try machine.write(key, "wrong\n")
      let wrong = try await machine.run(words(sandbox, more, secret: "wrong"))
      #expect(wrong.status == 78, "\(wrong)")
      let start = "  systemctl daemon-reload\n  systemctl enable --now waybill.service\n"
      #expect(wrong.output.contains(start), "\(wrong)")
      #expect(wrong.errors.contains("correct /etc/waybill/waybill.toml or its keys"), "\(wrong)")
      #expect(
        try await machine.require("stat", "-c", "%a %U:%G", "/etc/waybill/keys/s3-access-key") == "640 root:waybill\n")
      #expect(try await Service(machine: machine).property("ActiveState") == "inactive")
      try machine.write(key, sandbox.storage.secretKey + "\n")
      try await machine.require("waybill", "check", "--no-spools", "--probe")

      let last = try await machine.run(words(sandbox, more))
      #expect(
        last.status == 1
          && last.errors.contains("is there, and stays. To start it: systemctl enable --now waybill.service"), "\(last)"
      )
    }
  }
}
