import ChildProcesses
import Foundation
import Testing

/// A daemon that runs as one user, and files that are dropped by another.
struct OtherUsers: Sendable {
  /// Whether the daemon may ask who has a file open, as the shipped unit may.
  var leases = false

  var prefix: [String] { OtherUser.daemon.words([], capabilities: leases ? ["lease"] : []) }

  /// Gives the daemon's user what is the daemon's, and sets the spool up as the manual says.
  func own(_ setup: DaemonSetup) async throws {
    try await OtherUser.make()
    try await Command.require([
      "chown", OtherUser.daemon.name, setup.folder.path, setup.accessKeyFile.path, setup.secretKeyFile.path,
    ])
    try await Command.require(["chown", "-R", OtherUser.daemon.name, setup.state.path])
    if setup.makesSpool { try await Self.openSpool(setup.spool) }
  }

  /// Makes a directory a spool as `waybill.tmpfiles` does.
  static func openSpool(_ spool: URL) async throws {
    try await OtherUser.make()
    try await Command.require(["chown", "\(OtherUser.daemon.name):\(OtherUser.dropper.name)", spool.path])
    try await Command.require(["chmod", "3770", spool.path])
    let rights = "u::rwx,u:\(OtherUser.daemon.name):rwx,g::---,o::---"
    try await Command.require(["setfacl", "-d", "-m", rights, spool.path])
  }

  /// The words that run `Tests/Support/dropper.py` as the dropper.
  static func dropping(_ words: [String]) async throws -> [String] {
    OtherUser.dropper.words([try await Products.python.value, Products.support("dropper.py")] + words)
  }
}

/// What was dropped: names with their paths, and SHA-256.
struct Manifest: Sendable {
  var sums: [String: String] = [:]

  mutating func add(_ output: String) throws {
    let more = try JSONDecoder().decode([String: String].self, from: Data(output.utf8))
    sums.merge(more) { _, last in last }
  }

  init(_ outputs: String...) throws {
    for output in outputs { try add(output) }
  }

  /// Waits until all of it is registered, and compares what the server has: each file exactly once, and nothing else.
  ///
  /// The key has to be `{id}/{path}/{name}`.
  func expectRegistered(_ rig: Rig, within limit: Duration = patience, line: Int = #line) async throws {
    try await until("\(sums.count) registrations", within: limit, every: .milliseconds(100), line: line) {
      try await rig.daemon.count("registered") >= sums.count
    }
    let bodies = try rig.sandbox.registrations().map(\.body)
    let objects = try await rig.sandbox.objects()
    #expect(bodies.count == sums.count && objects.count == sums.count)
    #expect(try await rig.daemon.count("registered") == sums.count)
    var left = sums
    for body in bodies {
      let key = body.key.string ?? ""
      let name = String(key.drop { $0 != "/" }.dropFirst())
      let sum = left.removeValue(forKey: name)
      #expect(sum != nil && body.sha256.string == sum, "\(name) is \(body), and should be \(sum ?? "nothing")")
      #expect(objects[key]?.sha256.string == sum, "\(name)")
    }
    #expect(left.isEmpty, "missing: \(left.keys.sorted().prefix(10))")
  }
}
