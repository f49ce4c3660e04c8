import ChildProcesses
import Foundation
import Testing

@testable import Harness

/// The configurations that the package brings.
@Suite(.slot)
struct ConfigurationTests {
  /// The samples of the package: valid as they stand, and with addresses and keys of one's own a daemon works by them.
  @Test(arguments: ["waybill", "waybill-all"]) func bothSamplesAreValid(name: String) async throws {
    let sample = Products.source("etc/\(name).toml")
    let check = try await Command.run([Products.command, "check", "--no-keys", "--no-spools", "--config", sample])
    #expect(check.status == 0, "\(check.errors)")
    #expect(check.output == "\(sample) is valid: 1 storage, 1 backend, 1 spool\n")
    try await withRig(starting: false) { rig in
      let (setup, token) = (rig.setup, rig.setup.folder.appending(path: "token"))
      try "t0ken\n".write(to: token, atomically: true, encoding: .utf8)
      var text = try String(contentsOfFile: sample, encoding: .utf8)
      for (find, put) in [
        ("\n[daemon]\n", "\n[daemon]\nstate = \"\(setup.state.path)\"\ncontrol = \"\(setup.socket)\"\n"),
        ("\"https://s3.eu-central-1.amazonaws.com\"", "\"\(setup.storage.endpoint)\""),
        ("\nregion = \"eu-central-1\"", "\nregion = \"\(setup.storage.region)\""),
        ("\nbucket = \"documents\"", "\nbucket = \"\(setup.storage.bucket)\""),
        ("/etc/waybill/keys/s3-access-key", setup.accessKeyFile.path),
        ("/etc/waybill/keys/s3-secret-key", setup.secretKeyFile.path),
        ("/etc/waybill/keys/backend-token", token.path),
        ("\nurl = \"https://api.example.com/documents\"", "\nurl = \"\(setup.backend)\""),
        ("\npath = \"/var/spool/waybill/documents\"", "\npath = \"\(setup.spool.path)\""),
      ] {
        #expect(text.contains(find), "\(find)")
        text = text.replacing(find, with: put)
      }
      try text.write(to: setup.config, atomically: true, encoding: .utf8)
      try await rig.daemon.start()
      let job = try await rig.drop("scan.pdf", until: "registered")
      #expect(try rig.sandbox.registrations().map(\.body.id) == [job.id])
    }
  }
}
