import ChildProcesses
import Foundation
import Testing

@testable import Harness

/// What a daemon says that cannot start: exit 78, and words by which a person finds the fault.
@Suite(.slot)
struct ConfigurationTests {
  /// A fault in the configuration: the text that is replaced, by what, and the key path that has to be named.
  struct Fault: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let find: String
    let put: String
    let keyPath: String
  }

  static let faults = [
    Fault(testDescription: "unknown key", find: "bucket =", put: "bukcet =", keyPath: "storage.main.bukcet"),
    Fault(testDescription: "unknown section", find: "[retry]", put: "[retyr]", keyPath: "retyr"),
    Fault(
      testDescription: "wrong type", find: "concurrency = 32", put: "concurrency = \"many\"",
      keyPath: "daemon.concurrency"),
    Fault(testDescription: "no duration", find: "settle = \"50ms\"", put: "settle = \"50 parsecs\"", keyPath: "settle"),
    Fault(
      testDescription: "missing credential file", find: "w.secret", put: "w.nowhere", keyPath: "storage.main.secret_key"
    ),
    Fault(
      testDescription: "dangling storage", find: "key = \"{id}", put: "storage = \"attic\"\nkey = \"{id}",
      keyPath: "storage"),
    Fault(
      testDescription: "no address", find: "http://127.0.0.1:1/register", put: "nowhere", keyPath: "backend.main.url"),
  ]

  @Test(arguments: faults)
  func faultNamesFileLineAndKey(_ fault: Fault) async throws {
    let folder = try TemporaryFolder()
    defer { folder.remove() }
    let setup = Self.setup(folder)
    try setup.write()
    let toml = setup.toml.replacing(fault.find, with: fault.put)
    #expect(toml != setup.toml)
    try toml.write(to: setup.config, atomically: true, encoding: .utf8)
    let lines = toml.split(separator: "\n", omittingEmptySubsequences: false)
    let start = try #require(fault.put.split(separator: "\n").first)
    let line = try #require(lines.firstIndex { $0.contains(start) }) + 1
    let daemon = try await Command.run([Products.daemon, "--config", setup.config.path])
    let check = try await Command.run([Products.command, "check", "--config", setup.config.path])
    for command in [daemon, check] {
      #expect(command.status == 78)
      #expect(command.errors.contains("\(setup.config.path):\(line): "), "\(command.errors)")
      #expect(command.errors.contains(fault.keyPath), "\(command.errors)")
    }
    #expect(!FileManager.default.fileExists(atPath: setup.socket))
  }

  @Test func syntaxErrorNamesLine() async throws {
    let folder = try TemporaryFolder()
    defer { folder.remove() }
    let config = folder.url.appending(path: "w.toml")
    try "[daemon]\nstate = \n".write(to: config, atomically: true, encoding: .utf8)
    let daemon = try await Command.run([Products.daemon, "--config", config.path])
    #expect(daemon.status == 78)
    #expect(daemon.errors.contains("\(config.path):2"), "\(daemon.errors)")
  }

  @Test func missingConfigurationIsNamed() async throws {
    let daemon = try await Command.run([Products.daemon, "--config", "/nonexistent/waybill.toml"])
    #expect(daemon.status == 78)
    #expect(daemon.errors.contains("/nonexistent/waybill.toml"))
  }

  /// Two daemons with one spool are a mistake in a configuration. Any other trouble with a spool stops nothing else.
  @Test func spoolOfOtherDaemonPreventsStart() async throws {
    try await withRig { rig in
      var second = rig.setup
      second.name = "v"
      try second.write()
      let daemon = try await Command.run([Products.daemon, "--config", second.config.path])
      #expect(daemon.status == 78, "\(daemon.errors)")
      #expect(daemon.errors.contains("spool.documents.path: \(rig.setup.spool.path) is in use by process"), "\(daemon)")
    }
  }

  /// On a file system that is mounted read-only not even root can claim.
  @Test func unwritableSpoolIsReportedWithRemedy() async throws {
    let user = try await Command.require(["id", "-u"]).trimmingCharacters(in: .newlines)
    let script = #"mount --bind "$PWD/spool" "$PWD/spool" && mount -o remount,ro,bind "$PWD/spool" && exec "$@""#
    let namespace =
      ["unshare"] + (user == "0" ? [] : ["--user", "--map-root-user"]) + ["--mount", "sh", "-c", script, "_"]
    try await withRig(starting: false) { rig in
      let daemon = Daemon(rig.setup, prefix: ["env", "-C", rig.folder.path] + namespace)
      defer { daemon.cut() }
      try await daemon.start()
      let problem = try await until("it to be told") { try await daemon.status().problems.array.first }
      #expect(problem.what.string?.hasPrefix("spool documents: cannot ") == true, "\(problem)")
      #expect(problem.remedy.string?.contains("mount it read-write, or let the unit write there") == true, "\(problem)")
      #expect(try await daemon.stop() == .exit(0))
    }
  }

  private static func setup(_ folder: TemporaryFolder) -> DaemonSetup {
    DaemonSetup(folder: folder.url, storage: Sandbox.storage(port: 1), backend: Sandbox.backend(port: 1))
  }
}
