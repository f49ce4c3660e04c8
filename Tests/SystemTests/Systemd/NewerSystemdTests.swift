import ChildProcesses
import Testing

@testable import Harness

/// What the systemd of Debian 12 (252) does not have: `make systemd257`.
@Suite(.slot, .needs(.systemd))
struct NewerSystemdTests {
  @Test(.enabled("Type=notify-reload") { try await SystemdMachine.installedVersion() >= 253 })
  func signalReloadEndsOnceConfigurationApplies() async throws {
    try await withService { rig in
      try await rig.machine.shippedDropIn("notify-reload-253", for: rig.service.unit)
      try await rig.service.start()
      #expect(try await rig.service.property("Type") == "notify-reload")
      for concurrency in 3...5 {
        try rig.rewrite { $0.daemonLines = ["concurrency = \(concurrency)"] }
        try await rig.service.systemctl("reload")
        #expect(try await rig.service.property("ActiveState") == "active")
        #expect(try await rig.service.entries("WAYBILL_EVENT=reloaded").count == concurrency - 2, "each line once")
      }
      // systemd has no word for a reload that failed
      try rig.rewrite { $0.daemonLines = ["concurency = 3"] }
      try await rig.service.systemctl("reload")
      #expect(try await rig.service.entries("PRIORITY=3").count == 1)
      try await rig.drop("a.pdf", until: "registered")
    }
  }
}
