import ChildProcesses
import Foundation
import Testing

@testable import Harness

/// The Debian package on Debian 13, whose libraries and systemd are newer than those of Debian 12: installed from the package alone,
/// started, and at work. `make systemd257` runs all tests of the service and of the package there.
@Suite(.slot, .needs(.systemd, .debian13))
struct Debian13Tests {
  @Test func packageInstallsAndCarriesFiles() async throws {
    let folder = try TemporaryFolder()
    let sandbox = try await Sandbox(in: folder.url)
    let package = try await DebianPackage.first.value
    try await withBareMachine(tree: Products.source(".build-test/trixie")) { machine in
      let system = try await machine.require("sh", "-c", ". /etc/os-release; echo $VERSION_ID; systemctl --version")
      #expect(system.hasPrefix("13\n") && system.contains("systemd 257"), "\(system)")
      // It takes nothing from elsewhere: all that the package needs is Debian 13's own.
      try await machine.type(["apt install \(package.seen)"])
      try await machine.require("useradd", "--groups", "waybill-drop", SystemdMachine.dropperName)
      let rig = ServiceRig(
        machine: machine, sandbox: sandbox, setup: ServiceSetup(storage: sandbox.storage, backend: sandbox.backend))
      try rig.service.configure(rig.setup)
      try await machine.type(["waybill check", "systemctl enable --now waybill.socket waybill"])
      #expect(try await rig.service.property("ActiveState") == "active")
      let job = try await rig.drop("scan 1.pdf", until: "registered")
      #expect(try rig.sandbox.registrations().map(\.body.id) == [job.id])
      // Reloads, the watchdog's systemd and the stop are the newer ones too.
      try await machine.type(["systemctl reload waybill", "systemctl restart waybill"])
      let second = try await rig.drop("scan 2.pdf", until: "registered")
      #expect(try rig.sandbox.registrations().map(\.body.id) == [job.id, second.id])
      try await machine.type(["systemctl stop waybill.socket waybill"])
      #expect(try await rig.service.entries("WAYBILL_EVENT=stopping").count == 2)
      let removed = try await machine.type(["apt purge waybill"])
      #expect(!removed.contains("not everything"), "\(removed)")
      #expect(!machine.has("/usr/bin/waybilld") && !machine.has("/var/lib/waybill"))
    }
  }
}
