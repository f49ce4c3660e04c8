import ChildProcesses
import Foundation
import Testing

@testable import Harness

/// What the shipped unit gives to others, and what it lets the daemon see.
@Suite(.slot, .needs(.systemd))
struct ServiceDoorsTests {
  /// The program that gives keys is another's. It has the daemon's user, and neither its capability nor its channel to systemd.
  @Test func keyProgramHasNoDaemonRights() async throws {
    let lines = [#"access_key = { aws = "program" }"#]
    try await withService({ $0.keyLines = lines }) { rig in
      let machine = rig.machine
      try machine.write("/etc/waybill/aws", "[profile program]\ncredential_process = /usr/local/bin/keys --for me\n")
      try machine.write(
        "/usr/local/bin/keys",
        """
        #!/bin/sh
        env > /var/lib/waybill/keys.env
        cat /proc/self/status > /var/lib/waybill/keys.status
        ls -l /proc/$$/fd > /var/lib/waybill/keys.fds
        printf '{"Version": 1, "AccessKeyId": "%s", "SecretAccessKey": "%s"}' '\(rig.setup.storage.accessKey)' '\(rig.setup.storage.secretKey)'

        """)
      try await machine.require("chmod", "755", "/usr/local/bin/keys")
      try await machine.dropIn(
        "aws", for: rig.service.unit,
        "[Service]\nEnvironment=AWS_CONFIG_FILE=/etc/waybill/aws AWS_SESSION_TOKEN=of-the-daemon WAYBILL_LOG_FORMAT=auto\n"
      )
      try await rig.service.start()
      try await rig.drop("a.pdf", until: "registered")

      let status = try await machine.require("cat", "/var/lib/waybill/keys.status")
      for name in ["CapPrm", "CapEff", "CapAmb"] {
        #expect(status.contains("\(name):\t0000000000000000\n"), "\(name): \(status)")
      }
      #expect(status.contains("NoNewPrivs:\t1\n") && status.contains("Seccomp:\t2\n"))
      let variables = try await machine.require("cat", "/var/lib/waybill/keys.env").split(separator: "\n")
        .compactMap { $0.split(separator: "=").first.map(String.init) }
      let allowed: Set<String> = [
        "HOME", "PATH", "USER", "LOGNAME", "SHELL", "LANG", "LANGUAGE", "TZ", "AWS_CONFIG_FILE", "PWD", "SHLVL", "_",
      ]
      #expect(variables.allSatisfy { allowed.contains($0) || $0.hasPrefix("LC_") }, "\(variables)")
      #expect(variables.contains("HOME") && variables.contains("AWS_CONFIG_FILE"), "\(variables)")
      let descriptors = try await machine.require("cat", "/var/lib/waybill/keys.fds")
      #expect(!descriptors.contains("socket:") && !descriptors.contains("ledger"), "\(descriptors)")

      // The daemon itself has its one right in each thread, for none to pass on.
      let pid = try await rig.service.pid()
      let threads = try await machine.require("sh", "-c", "cat /proc/\(pid)/task/*/status")
      let ambient = Set(threads.split(separator: "\n").filter { $0.hasPrefix("CapAmb:") })
      #expect(ambient == ["CapAmb:\t0000000000000000"], "\(ambient)")
      let effective = Set(threads.split(separator: "\n").filter { $0.hasPrefix("CapEff:") })
      #expect(effective == ["CapEff:\t0000000010000000"], "\(effective)")
      let leases = try await rig.service.control("GET", "/v1/status").json.spools.array.first?.leases.string
      #expect(leases == "all", "\(leases ?? "none")")

      // `ProcSubset=pid` hides the kernel's answer about hard links, which the unit passes instead.
      for (file, isThere) in [
        ("/proc/sys/fs/protected_hardlinks", false), ("/run/credentials/waybill.service/protected_hardlinks", true),
      ] {
        let answer = try await machine.run("nsenter", "--mount=/proc/\(pid)/ns/mnt", "cat", file)
        #expect((answer.status == 0) == isThere, "\(file): \(answer)")
      }
    }
  }
}
