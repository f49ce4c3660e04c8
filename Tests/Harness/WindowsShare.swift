import ChildProcesses
import Foundation

/// A real smbd on loopback with the settings of docs/windows.md, for a user with a password.
struct WindowsShare {
  private static let password = "a-password"

  private let user: OtherUser
  private let port = Ports.free()
  private let config: URL
  private let child: ChildProcess

  /// Serves a directory to a user, whose group stands for waybill-drop, and waits until it is served.
  init(for user: OtherUser, path: URL, in parent: URL) async throws {
    self.user = user
    let folder = try parent.madeFolder("samba")
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
    let settings = try Self.page().replacing("/var/spool/waybill/documents", with: path.path)
      .replacing("waybill-drop", with: user.name).replacing("[global]", with: "[global]\n\(own)")
    try settings.write(to: config, atomically: true, encoding: .utf8)
    let made = try await Command.run(
      Self.words(["smbpasswd", "-c", config.path, "-s", "-a", user.name]),
      input: Data("\(Self.password)\n\(Self.password)\n".utf8))
    guard made.status == 0 else { throw Missing("smbpasswd: \(made.output)\(made.errors)") }
    child = try ChildProcess(
      Self.words(["smbd", "-F", "--no-process-group", "-s", config.path]), folder: folder, log: "smbd")
    let share = self
    try await until("smbd to serve") { try await share.run("ls").status == 0 }
  }

  private static func page() throws -> String {
    let page = try String(contentsOfFile: Products.source("docs/windows.md"), encoding: .utf8)
    let blocks = page.components(separatedBy: "```ini\n").dropFirst().map { $0.components(separatedBy: "```\n")[0] }
    guard let block = blocks.first(where: { $0.contains("[scans]") && $0.contains("[global]") }) else {
      throw Missing("no smb.conf in docs/windows.md")
    }
    return block
  }

  private static func words(_ program: [String]) -> [String] { Products.unpacked("samba") + program }

  var words: [String] {
    let login = ["-U", "\(user.name)%\(Self.password)"]
    return Self.words(["smbclient", "-s", config.path, "-p", String(port)] + login + ["//127.0.0.1/scans", "-c"])
  }

  func run(_ commands: String) async throws -> Command { try await Command.run(words + [commands]) }
}
