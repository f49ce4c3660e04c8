import ChildProcesses
import Foundation
import Testing

@testable import Harness

/// Two daemons never work on one ledger or one spool.
@Suite(.slot)
struct ExclusionTests {
  @Test func refusesSecondDaemonOnLedger() async throws {
    try await withRig { rig in
      let words = try await refused(rig) { $0.replacing($1.state.path, with: $2.state.path) }.errors
      #expect(words.contains(String(try rig.daemon.pid)), "\(words)")
      #expect(words.contains(rig.setup.state.path), "\(words)")
      try await rig.drop("a.pdf", until: "registered")
    }
  }

  @Test func refusesSecondDaemonOnSpool() async throws {
    try await withRig { rig in
      let second = try await refused(rig) { toml, _, _ in toml }
      let place = "spool.documents.path: \(rig.setup.spool.path) is in use by process \(try rig.daemon.pid)"
      #expect(second.status == 78 && second.errors.contains(place), "\(second)")
      try await rig.drop("a.pdf", until: "registered")
    }
  }

  private func refused(
    _ rig: Rig, _ change: (String, DaemonSetup, DaemonSetup) throws -> String
  ) async throws -> Command {
    var second = rig.setup
    second.name = "second"
    try second.write()
    try change(second.toml, second, rig.setup).write(to: second.config, atomically: true, encoding: .utf8)
    let daemon = try await Command.run([Products.daemon, "--config", second.config.path])
    #expect(daemon.status != 0)
    #expect(daemon.status < 128, "it ends by itself, not by a signal")
    return daemon
  }
}
