import ChildProcesses
import Foundation
import Linux
import Seams
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

  @Test(.enabled("RestartSteps=") { try await SystemdMachine.installedVersion() >= 254 && Failpoint.areBuilt })
  func restartDelaysGrow() async throws {
    try await withService { rig in
      #expect(try await rig.service.property("RestartSteps") == "10")
      #expect(try await rig.service.property("RestartMaxDelayUSec") == "5min")
      let words = "Environment=" + Failpoint.started.variable().map { "\($0)=\($1)" }.joined()
      try await rig.machine.dropIn("quick", for: rig.service.unit, "[Service]\nRestartSec=10ms\n\(words)\n")
      try await rig.machine.run("systemctl", "start", rig.service.unit)
      var pauses: [String] = []
      try await until("three longer and longer pauses", every: .milliseconds(20)) {
        let pause = try await rig.service.property("RestartUSecNext")
        if pauses.last != pause { pauses.append(pause) }
        return pauses.count >= 4
      }
      print("pauses:", pauses.joined(separator: ", "))
      #expect(Set(pauses).count == pauses.count, "none comes twice: \(pauses)")
    }
  }
}
