import ChildProcesses
import Foundation

/// A real smbd on loopback with one share, where everybody is the dropper, and a client for it.
struct SambaServer {
  private static let unpacked = Products.source(".build-test/samba")

  private static func program(_ path: String) -> String? {
    ["/usr/" + path, unpacked + "/usr/" + path].first(where: FileManager.default.isExecutableFile)
  }

  /// Whether the tests that need it run; where servers are required they run and fail without one.
  static var canRun: Bool {
    UnixUser.canRun && (Missing.serverIsFailure || (program("sbin/smbd") != nil && program("bin/smbclient") != nil))
  }

  private let port: Int
  private let config: URL
  private let client: String
  private let child: ChildProcess

  /// Serves a directory as the manual has it, and waits until it is served.
  init(for user: UnixUser, path: URL, in parent: URL) async throws {
    guard let program = Self.program("sbin/smbd"), let client = Self.program("bin/smbclient") else {
      throw Missing("no smbd or smbclient")
    }
    self.client = client
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
      guest account = \(user.rawValue)
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
      Self.words([program, "-F", "--no-process-group", "-s", config.path]), folder: folder, log: "smbd")
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

  private static func words(_ words: [String]) -> [String] {
    let libraries = "/usr/lib/\(machine)-linux-gnu"
    let paths = [libraries, libraries + "/samba"].map { unpacked + $0 }.joined(separator: ":")
    return ["env", "LD_LIBRARY_PATH=" + paths] + words
  }

  private static var machine: String {
    #if arch(arm64)
      "aarch64"
    #else
      "x86_64"
    #endif
  }

  /// Runs commands of smbclient in the share.
  func run(_ commands: String) async throws -> Command { try await Command.run(words + [commands]) }

  /// What to type before commands of smbclient, in a shell.
  var words: [String] {
    Self.words([client, "-s", config.path, "-p", String(port), "-N", "//127.0.0.1/scans", "-c"])
  }

  /// For the end of a test.
  func cut() { child.cut() }
}
