import ChildProcesses
import Foundation
import Testing

@testable import Harness

/// Keys that systemd hands over (`LoadCredential=`, `LoadCredentialEncrypted=`).
@Suite(.slot, .needs(.systemd))
struct ServiceSecretsTests {
  @Test func systemdCredentialsWorkAndStayHidden() async throws {
    let lines = [#"access_key = { credential = "access" }"#, #"secret_key = { credential = "secret" }"#]
    try await withService({ $0.keyLines = lines }) { rig in
      let secret = rig.setup.storage.secretKey
      try await rig.machine.require("rm", "-r", "/etc/waybill/keys")
      try rig.machine.write("/etc/credstore/access", rig.setup.storage.accessKey)
      try rig.machine.write("/run/secret", secret)
      try await rig.machine.require(
        "systemd-creds", "encrypt", "--with-key=host", "--name=secret", "/run/secret", "/etc/credstore/secret.cred")
      try await rig.machine.require("rm", "/run/secret")
      try await rig.machine.require("chmod", "-R", "go-rwx", "/etc/credstore")
      try await rig.machine.dropIn(
        "keys", for: rig.service.unit,
        """
        [Service]
        LoadCredential=access:/etc/credstore/access
        LoadCredentialEncrypted=secret:/etc/credstore/secret.cred

        """)
      try await rig.service.start()
      try await rig.drop("a.pdf", until: "registered")

      let pid = try await rig.service.pid()
      for file in ["environ", "cmdline"] {
        #expect(try await !rig.machine.require("cat", "/proc/\(pid)/\(file)").contains(secret))
      }
      #expect(try await rig.machine.require("cat", "/proc/\(pid)/environ").contains("CREDENTIALS_DIRECTORY="))
      #expect(try await !rig.machine.require("systemctl", "show", rig.service.unit).contains(secret))
      for user in [SystemdMachine.dropperName, SystemdMachine.operatorName] {
        for path in ["/proc/\(pid)/environ", "/run/credentials/waybill.service/secret"] {
          let look = try await rig.machine.run(["cat", path], as: user)
          #expect(look.status != 0 && look.output.isEmpty, "\(user) reads \(path)")
        }
      }
      let said = try await rig.machine.require("journalctl", "-q", "-o", "json", "--all")
      #expect(!said.contains(secret))
    }
  }
}
