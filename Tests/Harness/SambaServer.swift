import ChildProcesses
import Foundation

/// A real smbd on loopback with one share, where everybody is the dropper, and a client for it.
struct SambaServer {
  private static let unpacked = Products.unpacked("samba")

  private let port: Int
  private let config: URL
  private let child: ChildProcess

  /// Serves a directory as the manual has it, and waits until it is served.
  init(for user: OtherUser, path: URL, in parent: URL) async throws {
    let folder = parent.appending(path: "samba")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    port = Ports.free()
    config = folder.appending(path: "smb.conf")
    let places = ["private dir", "lock directory", "state directory", "cache directory", "pid directory"]
      .map { "\($0) = \(folder.path)" }.joined(separator: "\n")
    let text = """
      [global]
      server role = standalone server
      interfaces = 127.0.0.1/8
      bind interfaces only = yes
      smb ports = \(port)
      disable netbios = yes
      map to guest = bad user
      guest account = \(user.name)
      \(places)
      ncalrpc dir = \(folder.path)/ncalrpc
      log file = \(folder.path)/log
      load printers = no
      printing = bsd
      printcap name = /dev/null
      disable spoolss = yes
      [scans]
      path = \(path.path)
      guest ok = yes
      \(try Self.share())
      """
    try text.write(to: config, atomically: true, encoding: .utf8)
    child = try ChildProcess(
      Self.unpacked + ["smbd", "-F", "--no-process-group", "-s", config.path], folder: folder, log: "smbd")
    let server = self
    try await until("smbd to serve") { try await server.run("ls").status == 0 }
  }

  /// The settings of a share that the manual tells people to make.
  private static func share() throws -> String {
    let page = try String(contentsOfFile: Products.source("docs/spool.md"), encoding: .utf8)
    let lines = page.split(separator: "\n", omittingEmptySubsequences: false)
    guard let start = lines.firstIndex(of: "[scans]") else { throw Missing("no share in docs/spool.md") }
    return lines[(start + 1)...].prefix { !$0.hasPrefix("```") }.filter { !$0.contains("path =") }
      .joined(separator: "\n")
  }

  /// Runs commands of smbclient in the share.
  func run(_ commands: String) async throws -> Command { try await Command.run(words + [commands]) }

  /// What to type before commands of smbclient, in a shell.
  var words: [String] {
    Self.unpacked + ["smbclient", "-s", config.path, "-p", String(port), "-N", "//127.0.0.1/scans", "-c"]
  }

  /// For the end of a test.
  func cut() { child.cut() }
}
