import ChildProcesses
import Foundation
import Testing

@testable import Harness

/// `waybill-sandbox demo` from the packages, by a user without a home, where there is neither a compiler nor curl.
@Suite(.slot, .needs(.systemd, .debhelper))
struct DemoPackageTests {
  @Test func demoRunsFromPackages() async throws {
    try await withBareMachine { machine in
      let package = try await DebianPackage.first.value
      try await machine.type(["apt install \(package.seenSandbox) \(package.seen)"])
      try await machine.require("useradd", "--no-create-home", "--shell", "/bin/sh", "visitor")
      try await machine.require(
        "sh", "-c", "rm -f /usr/bin/curl /usr/bin/cc /usr/bin/gcc /usr/bin/clang /usr/bin/swift* /usr/local/bin/swift*")
      let words = [
        "env", "-i", "PATH=/usr/bin:/bin", "HOME=/nonexistent", "PATIENCE=180", "sh", "-c",
        "cd /tmp && exec waybill-sandbox demo --once",
      ]
      let demo = try await machine.run(words, as: "visitor")
      #expect(demo.status == 0 && demo.output.contains("All of it worked."), "\(demo)")
      #expect(machine.has("/tmp/waybill-demo/far/registrations.jsonl"))
      // It leaves nothing that runs, and the service is not touched.
      #expect(try await machine.run("pgrep", "-x", "waybilld").status == 1)
      #expect(!machine.has("/etc/waybill/waybill.toml"))

      try await machine.type(["apt remove waybill"])
      let alone = try await machine.run(words, as: "visitor")
      #expect(alone.status == 69 && alone.errors.contains("waybilld is not here: apt install waybill"), "\(alone)")
    }
  }
}
