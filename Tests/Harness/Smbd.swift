import ChildProcesses
import Foundation

/// A real smbd on loopback, in a folder of its own, with its client.
struct Smbd {
  private static let unpacked = Products.unpacked("samba")

  let port: Int
  let config: URL
  private let child: ChildProcess

  /// Starts it.
  ///
  /// - Parameters:
  ///   - settings: makes `smb.conf` of the lines of `[global]` that the machine of a test takes: places and a port of its own.
  ///   - prepare: what is done with `smb.conf` before the start.
  init(
    in parent: URL, settings: (String) throws -> String, prepare: (URL) async throws -> Void = { _ in }
  ) async throws {
    let folder = parent.appending(path: "samba")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    port = Ports.free()
    config = folder.appending(path: "smb.conf")
    let places = ["private dir", "lock directory", "state directory", "cache directory", "pid directory"]
      .map { "\($0) = \(folder.path)" }.joined(separator: "\n")
    let own = """
      \(places)
      ncalrpc dir = \(folder.path)/ncalrpc
      log file = \(folder.path)/log
      interfaces = 127.0.0.1/8
      bind interfaces only = yes
      smb ports = \(port)
      printing = bsd
      printcap name = /dev/null
      disable spoolss = yes
      """
    try settings(own).write(to: config, atomically: true, encoding: .utf8)
    try await prepare(config)
    child = try ChildProcess(
      Self.words(["smbd", "-F", "--no-process-group", "-s", config.path]), folder: folder, log: "smbd")
  }

  /// The words that run one of Samba's programs.
  static func words(_ program: [String]) -> [String] { unpacked + program }

  /// The words that run commands of smbclient in the share `scans`; the commands follow.
  func client(_ login: [String]) -> [String] {
    Self.words(["smbclient", "-s", config.path, "-p", String(port)] + login + ["//127.0.0.1/scans", "-c"])
  }

  /// For the end of a test.
  func cut() { child.cut() }
}
