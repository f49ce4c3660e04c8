import ChildProcesses
import Foundation
import Testing

@testable import Harness

/// Tests of commands that set Waybill up on a machine.
protocol NewMachineTests {}

extension NewMachineTests {
  func withNewMachine(
    _ body: (SystemdMachine, Sandbox) async throws -> Void
  ) async throws {
    let folder = try TemporaryFolder()
    let sandbox = try await Sandbox(in: folder.url)
    try await withMachine { try await body($0, sandbox) }
  }

  func words(_ sandbox: Sandbox, _ more: [String] = [], secret: String? = nil) -> [String] {
    let storage = sandbox.storage
    return [
      "env", "AWS_ACCESS_KEY_ID=\(storage.accessKey)", "AWS_SECRET_ACCESS_KEY=\(secret ?? storage.secretKey)",
      "waybill", "init", "--yes", "--keys", "env", "--endpoint", storage.endpoint, "--bucket", storage.bucket,
      "--backend", sandbox.backend,
    ] + more
  }

  func dropFirstFile(_ machine: SystemdMachine, _ more: [String] = []) async throws {
    let added = try await machine.require(
      ["waybill", "add", "/etc/passwd", "--name", "first.txt", "--wait"] + more)
    #expect(added == "first.txt uploaded and registered\n", "\(added)")
  }

  func checksums(_ machine: SystemdMachine) async throws -> String {
    try await machine.require(
      "sh", "-c", "find /etc/waybill /etc/systemd /etc/group /var/spool/waybill -ls -type f -exec sha256sum {} + | sort"
    )
  }

  /// Carries out the commands that a setup leaves to a person, but for the one that makes somebody an operator.
  func carryOut(_ output: String, _ machine: SystemdMachine) async throws {
    let commands = output.split(separator: "\n").drop { $0 != "Then, as root:" }.dropFirst().prefix {
      $0.hasPrefix("  ")
    }
    #expect(!commands.isEmpty, "\(output)")
    let script = commands.filter { !$0.contains("usermod") }.joined(separator: "\n")
    try await machine.require("sh", "-ec", script)
  }

  func withTerminal(_ body: (TerminalScreen) async throws -> Void) async throws {
    let folder = try TemporaryFolder()
    let screen = try await TerminalScreen(in: folder.url, columns: 80, environment: ["TERM": "xterm"])
    try await screen.whileOpen(body)
  }

  func typedLine(_ machine: SystemdMachine, _ words: [String]) -> String {
    machine.words(words).map { "'\($0)'" }.joined(separator: " ")
  }
}
