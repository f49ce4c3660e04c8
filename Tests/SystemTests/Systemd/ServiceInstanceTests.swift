import ChildProcesses
import Foundation
import Testing

@testable import Harness

/// Several daemons on one machine, by the templates.
@Suite(.slot, .needs(.systemd))
struct ServiceInstanceTests {
  @Test func twoInstancesWorkSideBySide() async throws {
    try await withService { rig in
      let services = ["a", "b"].map { Service(machine: rig.machine, instance: $0) }
      for service in services {
        let spool = "/var/spool/waybill/" + service.name
        try await rig.openSpool(spool)
        var setup = rig.setup
        setup.spool = spool
        try service.configure(setup)
        try await service.start()
        try await rig.drop(service.name + ".pdf", in: spool)
      }
      for service in services {
        try await service.job(named: service.name + ".pdf", in: "registered")
        #expect(try await service.jobs().map(\.job) == [1], "each has numbers of its own")
        let state = try await rig.machine.require("stat", "-c", "%a %U", "/var/lib/\(service.name)/ledger.sqlite")
        #expect(state.hasSuffix(" waybill\n"))
        let socket = try await rig.machine.require("stat", "-c", "%a %G", service.controlSocket)
        #expect(socket == "660 waybill\n")
        let command = ["waybill", "--instance", service.instance ?? "", "list", "--state", "registered"]
        #expect(try await rig.machine.require(command, as: SystemdMachine.operatorName).contains(service.name + ".pdf"))
        try await service.systemctl("reload")
        #expect(try await service.entries("WAYBILL_EVENT=reloaded").count == 1)
      }
      try await services[0].systemctl("stop")
      #expect(try await services[1].property("ActiveState") == "active")
      #expect(try await rig.service.property("ActiveState") == "inactive")

      // a socket of its own starts it again
      try await rig.machine.require("systemctl", "start", "waybill@a.socket")
      try await rig.machine.require(["waybill", "--instance", "a", "status"], as: SystemdMachine.operatorName)
      #expect(try await services[0].property("ActiveState") == "active")
    }
  }
}
