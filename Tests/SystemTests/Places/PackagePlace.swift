import ChildProcesses
import Foundation

@testable import Harness

/// The Debian package under a real systemd, installed and set up as the manual tells.
struct PackagePlace: Place {
  let kind: PlaceKind
  let machine: SystemdMachine
  let far: PlaceServers
  let metrics = "http://127.0.0.1:\(Ports.free())"

  var spools: String { "/var/spool/waybill" }
  var elsewhere: String { "/srv/elsewhere" }
  var settings: String { "/etc/waybill" }
  var printing: String { "sh -c 'cat \"$0\"'" }
  var socket: String { service.socket }
  var daemonLines: [String] { ["metrics = \"\(metrics.split(separator: "/").last ?? "")\""] }
  /// The unit has temporary directories of its own.
  var closed: [String] { ["/tmp", "/var/tmp", "/etc"] }

  private static let stranger = "lee"
  private var service: Service { Service(machine: machine) }
  private var rig: ServiceRig {
    ServiceRig(
      machine: machine, sandbox: far.sandbox,
      setup: ServiceSetup(storage: far.sandbox.storage, backend: far.sandbox.backend))
  }

  /// Installs the package, and lets two persons in: one who drops and operates, and one who drops.
  init(_ kind: PlaceKind, _ machine: SystemdMachine, _ far: PlaceServers) async throws {
    (self.kind, self.machine, self.far) = (kind, machine, far)
    try await machine.type(["apt install \(try await DebianPackage.first.value.seen)"])
    try await machine.require("useradd", "--groups", "waybill,waybill-drop", SystemdMachine.dropperName)
    try await machine.require("useradd", "--groups", "waybill-drop", Self.stranger)
  }

  func outside(_ path: String) -> String { machine.outside(path) }

  func openSpool(_ path: String) async throws { try await rig.openSpool(path) }

  func mount(_ path: String) async throws {
    try await machine.require("mkdir", "-p", path)
    try await machine.require("mount", "-t", "tmpfs", "-o", "size=16m", "disk", path)
  }

  func trust(_ certificate: String) async throws {
    try machine.write(
      "/usr/local/share/ca-certificates/places.crt", String(contentsOfFile: certificate, encoding: .utf8))
    try await machine.type(["update-ca-certificates"])
  }

  func close(_ path: String) async throws { try await machine.require("install", "-d", "-m", "755", path) }

  func drop(_ script: String, in folder: String, as dropper: PlaceDropper) async throws {
    let user =
      switch dropper {
      case .usual: SystemdMachine.dropperName
      case .stranger: Self.stranger
      case .own: "waybill"
      }
    try await machine.require(["sh", "-ec", "cd \"$0\"; eval \"$1\"", folder, dropper.umask + script], as: user)
  }

  func words(_ words: [String]) -> [String] { machine.words(words, as: SystemdMachine.dropperName) }

  func administer(_ words: [String]) async throws -> Command { try await machine.run(words) }

  func start() async throws {
    try await machine.dropIn("elsewhere", for: service.unit, "[Service]\nReadWritePaths=-\(elsewhere)\n")
    try await machine.dropIn("aws", for: service.unit, "[Service]\nEnvironment=AWS_CONFIG_FILE=\(settings)/keys/aws\n")
    try await machine.type([
      "AWS_CONFIG_FILE=\(settings)/keys/aws waybill check", "systemctl enable --now waybill.socket waybill",
    ])
  }

  func startAgain() async throws { try await service.start() }

  func kill() async throws {
    try await machine.require("systemctl", "kill", "--signal=KILL", service.unit)
    try await service.until("MainPID", is: "0")
  }

  func stop() async throws { try await service.systemctl("stop") }

  func reload() async throws -> Command { try await machine.run("systemctl", "reload", service.unit) }

  func entries() async throws -> [JSONValue] { try await service.entries() }
}
