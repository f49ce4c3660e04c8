import ChildProcesses
import Foundation
import Glibc

/// The users that tests of rights run programs as: the daemon's, and one who drops files. They take root.
enum UnixUser: String {
  case daemon = "waybill-test"
  case dropper = "waybill-drop-test"

  /// The group of those who drop files.
  static let group = "waybill-drop-test"

  private static let ready = Task { try await Command.require([Products.support("test-users.sh")]) }

  /// Makes them, where they are missing.
  static func make() async throws { _ = try await ready.value }

  /// The words before a command that this user runs.
  var prefix: [String] { ["setpriv", "--reuid", rawValue, "--regid", primaryGroup, "--init-groups", "--"] }

  private var primaryGroup: String { self == .daemon ? "waybill-test" : Self.group }

  /// Runs a command as this user; it has to succeed.
  @discardableResult
  func require(_ words: [String], file: String = #fileID, line: Int = #line) async throws -> String {
    try await Command.require(prefix + words, file: file, line: line)
  }
}

extension Rig {
  /// The rig with its daemon run by the daemon's user, and the spool as `waybill.tmpfiles` makes it. Nothing is started.
  /// With `leases` it may ask who has a file open, as the shipped unit may.
  func owned(leases: Bool = true) async throws -> Rig {
    try await UnixUser.make()
    let user = UnixUser.daemon.rawValue
    try await Command.require(["chown", "-R", "\(user):", folder.path])
    try await Command.require(["chown", "\(user):\(UnixUser.group)", setup.spool.path])
    try await Command.require(["chmod", "3770", setup.spool.path])
    try await Command.require(["setfacl", "-d", "-m", "u::rwx,u:\(user):rwx,g::---,o::---", setup.spool.path])
    var prefix = UnixUser.daemon.prefix
    if leases { prefix.insert(contentsOf: ["--inh-caps", "+lease", "--ambient-caps", "+lease"], at: prefix.count - 1) }
    let daemon = Daemon(setup, journal: journal, prefix: prefix)
    return Rig(folder: folder, sandbox: sandbox, daemon: daemon, journal: journal)
  }
}
