import ChildProcesses
import Foundation
import Testing

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
  func isToldByFileLineAndKeyPath(_ fault: Fault) async throws {
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

  @Test func syntaxErrorsAreToldByLineToo() async throws {
    let folder = try TemporaryFolder()
    defer { folder.remove() }
    let config = folder.url.appending(path: "w.toml")
    try "[daemon]\nstate = \n".write(to: config, atomically: true, encoding: .utf8)
    let daemon = try await Command.run([Products.daemon, "--config", config.path])
    #expect(daemon.status == 78)
    #expect(daemon.errors.contains("\(config.path):2"), "\(daemon.errors)")
  }

  @Test func aMissingConfigurationIsToldByItsName() async throws {
    let daemon = try await Command.run([Products.daemon, "--config", "/nonexistent/waybill.toml"])
    #expect(daemon.status == 78)
    #expect(daemon.errors.contains("/nonexistent/waybill.toml"))
  }

  @Test func aMissingSpoolRefusesToStart() async throws {
    try await refusal { $0.makesSpool = false }
  }

  @Test func aSpoolThatIsAFileRefusesToStart() async throws {
    try await refusal {
      $0.makesSpool = false
      try Data().write(to: $0.spool)
    }
  }

  /// On a file system that is mounted read-only not even root can claim.
  @Test func aSpoolThatCannotBeWrittenRefusesToStart() async throws {
    let user = try await Command.require(["id", "-u"]).trimmingCharacters(in: .newlines)
    let script = #"mount --bind "$1" "$1" && mount -o remount,ro,bind "$1" && shift && exec "$@""#
    let namespace =
      ["unshare"] + (user == "0" ? [] : ["--user", "--map-root-user"]) + ["--mount", "sh", "-c", script, "_"]
    try await refusal(through: { namespace + [$0.spool.path] }, { _ in })
  }

  private func refusal(
    through prefix: (DaemonSetup) -> [String] = { _ in [] }, _ adjust: (inout DaemonSetup) throws -> Void
  ) async throws {
    let folder = try TemporaryFolder()
    defer { folder.remove() }
    var setup = Self.setup(folder)
    try adjust(&setup)
    try setup.write()
    let daemon = try await Command.run(prefix(setup) + [Products.daemon, "--config", setup.config.path])
    #expect(daemon.status == 78, "\(daemon.errors)")
    #expect(daemon.errors.contains(setup.spool.path), "\(daemon.errors)")
    #expect(daemon.errors.contains("documents"), "\(daemon.errors)")
  }

  private static func setup(_ folder: TemporaryFolder) -> DaemonSetup {
    DaemonSetup(folder: folder.url, storage: Sandbox.storage(port: 1), backend: Sandbox.backend(port: 1))
  }
}
