import ChildProcesses
import Foundation

@testable import Harness

/// The Debian package under a real systemd, installed and set up as the manual tells.
struct PackagePlace: Place {
  let machine: SystemdMachine
  let far: PlaceFarSides

  var spools: String { "/var/spool/waybill" }
  var elsewhere: String { "/srv/elsewhere" }
  var settings: String { "/etc/waybill" }
  var printing: String { "sh -c 'cat \"$0\"'" }
  var socket: String { service.socket }

  private var service: Service { Service(machine: machine) }
  private var rig: ServiceRig {
    ServiceRig(
      machine: machine, sandbox: far.sandbox,
      setup: ServiceSetup(storage: far.sandbox.storage, backend: far.sandbox.backend))
  }

  /// Installs the package, and lets a person in.
  init(_ machine: SystemdMachine, _ far: PlaceFarSides) async throws {
    (self.machine, self.far) = (machine, far)
    try await machine.type(["apt install \(try await DebianPackage.first.value.seen)"])
    try await machine.require("useradd", "--groups", "waybill,waybill-drop", SystemdMachine.dropperName)
  }

  func outside(_ path: String) -> String { machine.outside(path) }

  func install(_ path: String, _ text: String) throws { try machine.write(path, text) }

  func openSpool(_ path: String) async throws { try await rig.openSpool(path) }

  func drop(_ script: String, in folder: String) async throws {
    try await machine.require(["sh", "-ec", "cd \"$0\"; eval \"$1\"", folder, script], as: SystemdMachine.dropperName)
  }

  func operate(_ words: [String]) async throws -> Command {
    try await machine.run(words, as: SystemdMachine.dropperName)
  }

  func start() async throws {
    try await machine.type(["waybill spool-dropin \(elsewhere)"])
    try await machine.dropIn("aws", for: service.unit, "[Service]\nEnvironment=AWS_CONFIG_FILE=\(settings)/keys/aws\n")
    try await machine.type([
      "AWS_CONFIG_FILE=\(settings)/keys/aws waybill check", "systemctl enable --now waybill.socket waybill",
    ])
  }

  func reload() async throws -> Command { try await machine.run("systemctl", "reload", service.unit) }
}
