import ChildProcesses
import Foundation

@testable import Harness

struct Service: ControlCaller {
  let machine: SystemdMachine
  var instance: String?

  var unit: String { instance.map { "waybill@\($0).service" } ?? "waybill.service" }
  var configuration: String { "/etc/waybill/\(instance ?? "waybill").toml" }
  var name: String { instance.map { "waybill-" + $0 } ?? "waybill" }
  var controlSocket: String { "/run/\(name)/control.sock" }
  var socket: String { machine.outside(controlSocket) }

  func pid() async throws -> String { try await property("MainPID") }

  func property(_ name: String) async throws -> String { try await machine.property(name, of: unit) }

  func until(_ name: String, is value: String, file: String = #fileID, line: Int = #line) async throws {
    try await machine.until(name, of: unit, is: value, file: file, line: line)
  }

  func systemctl(_ verb: String, file: String = #fileID, line: Int = #line) async throws {
    let command = try await machine.run(["systemctl", verb, unit], file: file, line: line)
    guard command.status == 0 else {
      let words = try await machine.run("journalctl", "-q", "--no-pager", "-n", "20", "-u", unit).output
      throw Missing("\(file):\(line): systemctl \(verb) \(unit): \(command.errors)\n\(words)")
    }
  }

  func start(file: String = #fileID, line: Int = #line) async throws {
    try await systemctl("start", file: file, line: line)
  }

  /// What the processes of its unit have put into the journal, natively and by what they write.
  ///
  /// Of a process that ended at once journald may not have found out the unit in time: those of the daemon count too.
  func entries(_ matches: String...) async throws -> [JSONValue] {
    let all = try await machine.journal(
      ["_SYSTEMD_UNIT=" + unit] + matches + ["+", "SYSLOG_IDENTIFIER=waybilld"] + matches)
    return all.filter { $0["_SYSTEMD_UNIT"].isNull || $0["_SYSTEMD_UNIT"].string == unit }
  }
}

struct ServiceSetup: Sendable {
  var storage: StorageSetup
  var backend: String
  var spool = "/var/spool/waybill/documents"
  var keyLines = [
    #"access_key = { file = "/etc/waybill/keys/access" }"#, #"secret_key = { file = "/etc/waybill/keys/secret" }"#,
  ]
  var daemonLines: [String] = []
  var backendLines: [String] = []
  var spoolLines: [String] = []
  /// Other values of constants, which debug builds read from a file beside the configuration.
  var constants: [String: String] = [:]

  var toml: String {
    """
    [daemon]
    \(daemonLines.joined(separator: "\n"))

    [retry]
    delays = []

    [storage.main]
    endpoint = "\(storage.endpoint)"
    region = "\(storage.region)"
    bucket = "\(storage.bucket)"
    \(keyLines.joined(separator: "\n"))

    [backend.main]
    url = "\(backend)"
    \(backendLines.joined(separator: "\n"))

    [[spool]]
    name = "documents"
    path = "\(spool)"
    settle = "50ms"
    settle_unseen = "200ms"
    \(spoolLines.joined(separator: "\n"))

    """
  }
}

extension Service {
  func configure(_ setup: ServiceSetup) throws {
    try machine.write("/etc/waybill/keys/access", setup.storage.accessKey + "\n")
    try machine.write("/etc/waybill/keys/secret", setup.storage.secretKey + "\n")
    let lines = setup.constants.sorted { $0.key < $1.key }.map { "\($0.key) = \($0.value)\n" }
    if !lines.isEmpty { try machine.write(configuration + ".constants", lines.joined()) }
    try machine.write(configuration, setup.toml)
  }
}

struct ServiceRig: Sendable {
  let machine: SystemdMachine
  let sandbox: Sandbox
  let setup: ServiceSetup

  var service: Service { Service(machine: machine) }

  /// Puts a file into a spool the right way, as an ordinary user of the machine who may drop files.
  func drop(_ name: String, in spool: String? = nil, mode: String = "640") async throws {
    try await machine.require(
      [
        "sh", "-c", #"printf "some bytes" > "$0/.$1" && chmod "$2" "$0/.$1" && mv "$0/.$1" "$0/$1""#,
        spool ?? setup.spool, name, mode,
      ], as: SystemdMachine.dropperName)
  }

  @discardableResult
  func drop(_ name: String, until state: String, line: Int = #line) async throws -> JSONValue {
    try await drop(name)
    return try await service.job(named: name, in: state, line: line)
  }

  func rewrite(_ change: (inout ServiceSetup) -> Void) throws {
    var setup = setup
    change(&setup)
    try service.configure(setup)
  }

  /// Makes a directory a spool or an archive, as `waybill.tmpfiles` makes that of a spool.
  func openSpool(_ path: String) async throws {
    try await machine.require("mkdir", "-p", path)
    try await machine.require("chown", "waybill:waybill-drop", path)
    try await machine.require("chmod", "3770", path)
    try await machine.require("setfacl", "-m", "d:u::rwx,d:u:waybill:rwx,d:g::-,d:o::-", path)
  }
}

/// Boots a machine, configures its service, which is not started, runs the body, and takes all away whatever happens.
func withService(
  faults: JSONValue? = nil, _ adjust: (inout ServiceSetup) -> Void = { _ in },
  _ body: (ServiceRig) async throws -> Void
) async throws {
  let folder = try TemporaryFolder()
  let sandbox = try await Sandbox(in: folder.url)
  if let faults { try await sandbox.fail(faults) }
  var setup = ServiceSetup(storage: sandbox.storage, backend: sandbox.backend)
  adjust(&setup)
  try await withMachine { machine in
    let rig = ServiceRig(machine: machine, sandbox: sandbox, setup: setup)
    try rig.service.configure(setup)
    try await body(rig)
  }
}
