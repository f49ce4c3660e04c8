import ChildProcesses
import Foundation
import Testing

@testable import Harness

/// `waybill.socket`: systemd holds the control socket.
@Suite(.slot, .needs(.systemd))
struct ServiceSocketTests {
  private let socket = "waybill.socket"

  @Test func callStartsServiceAndSocketStays() async throws {
    try await withService({ $0.daemonLines = ["concurency = 3"] }) { rig in
      // systemd starts the service for as long as somebody waits at its socket.
      try await rig.machine.require("systemctl", "enable", "--now", socket)
      #expect(try await rig.service.property("ActiveState") == "inactive")
      let facts = try await rig.machine.require("stat", "-c", "%a %U %G", rig.service.controlSocket)
      #expect(facts == "660 waybill waybill\n")
      for turn in 1...2 {
        let call = try await rig.machine.run("waybill", "status")
        #expect(call.status == 69 && call.errors.contains("did you mean \"concurrency\""), "\(call)")
        try await rig.service.until("ActiveState", is: "failed")
        let entries = try await rig.service.entries()
        #expect(entries.count == turn, "it is not started again and again: \(entries)")
        #expect(entries.last?.PRIORITY == "3" && entries.last?.EXIT_STATUS == "78", "\(entries)")
        #expect(entries.last?.MESSAGE.string?.contains("/etc/waybill/waybill.toml") == true, "\(entries)")
        #expect(try await rig.service.property("ExecMainStatus") == "78")
        #expect(try await rig.service.property("NRestarts") == "0")
      }

      try rig.rewrite { $0.daemonLines = [] }
      for turn in 1...2 {
        let status = try await rig.machine.run(["waybill", "status"], as: SystemdMachine.operatorName)
        #expect(status.status == 0, "\(turn): \(status)")
        try await rig.drop("\(turn).pdf", until: "registered")
        // Those who call meanwhile are answered by the next life.
        try await withThrowingTaskGroup(of: Command.self) { calls in
          for _ in 1...5 { calls.addTask { try await rig.machine.run("waybill", "status") } }
          try await rig.service.systemctl("restart")
          for try await call in calls { #expect(call.status == 0, "\(call)") }
        }
        try await rig.machine.require("systemctl", "stop", rig.service.unit)
        #expect(try await rig.machine.property("ActiveState", of: socket) == "active")
      }
      let stranger = try await rig.machine.run(["waybill", "status"], as: SystemdMachine.dropperName)
      #expect(stranger.status == 77, "\(stranger)")
      #expect(try await rig.service.property("ActiveState") == "inactive")
    }
  }
}
