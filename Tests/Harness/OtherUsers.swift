import ChildProcesses
import Foundation
import Testing

/// A daemon that runs as one user, and files that are dropped by another.
struct OtherUsers: Sendable {
  let daemon = OtherUser.daemon
  let dropper = OtherUser.dropper
  /// Capabilities that the daemon has (`lease`).
  var capabilities: [String] = []

  init(capabilities: [String] = []) async throws {
    try await OtherUser.make()
    self.capabilities = capabilities
  }

  /// The words before the daemon's.
  var prefix: [String] { daemon.words([], capabilities: capabilities) }

  /// Gives the daemon's user what is the daemon's, and sets the spool up as the manual says.
  func own(_ setup: DaemonSetup) async throws {
    try await Command.require([
      "chown", daemon.name, setup.folder.path, setup.accessKeyFile.path, setup.secretKeyFile.path,
    ])
    try await Command.require(["chown", "-R", daemon.name, setup.state.path])
    if setup.makesSpool { try await openSpool(setup.spool) }
  }

  /// Makes a directory a spool: mode 3770, the daemon's, for the droppers' group, with the daemon's right to what they make.
  func openSpool(_ spool: URL) async throws {
    try await Command.require(["chown", "\(daemon.name):\(dropper.name)", spool.path])
    try await Command.require(["chmod", "3770", spool.path])
    try await Command.require(["setfacl", "-m", "d:u:\(daemon.name):rwX", spool.path])
  }

  /// The words that run `Tests/Support/dropper.py` as the dropper.
  func dropping(_ words: [String]) async throws -> [String] {
    dropper.words([try await Products.python.value, Products.support("dropper.py")] + words)
  }
}

extension Rig {
  /// The rig with its daemon run by the daemon's user, and the spool as `waybill.tmpfiles` makes it. Nothing is started.
  /// With `leases` it may ask who has a file open, as the shipped unit may.
  func owned(leases: Bool = true) async throws -> Rig {
    try await OtherUser.make()
    let (user, group) = (OtherUser.daemon.name, OtherUser.dropper.name)
    try await Command.require(["chown", "-R", "\(user):", folder.path])
    try await Command.require(["chown", "\(user):\(group)", setup.spool.path])
    try await Command.require(["chmod", "3770", setup.spool.path])
    try await Command.require(["setfacl", "-d", "-m", "u::rwx,u:\(user):rwx,g::---,o::---", setup.spool.path])
    let prefix = OtherUser.daemon.words([], capabilities: leases ? ["lease"] : [])
    let daemon = Daemon(setup, journal: journal, prefix: prefix)
    return Rig(folder: folder, sandbox: sandbox, daemon: daemon, journal: journal)
  }
}

/// What was dropped: names with their paths, and SHA-256.
struct Manifest: Sendable {
  var sums: [String: String] = [:]

  /// Takes in what `dropper.py` says.
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
