import ChildProcesses
import Foundation

/// A real smbd on loopback with the settings of docs/windows.md, for a user with a password.
struct WindowsShare {
  private static let password = "a password"

  private let user: OtherUser
  private let smbd: Smbd

  /// Serves a directory to a user, whose group stands for waybill-drop, and waits until it is served.
  init(for user: OtherUser, path: URL, in parent: URL) async throws {
    self.user = user
    smbd = try await Smbd(in: parent) { own in
      try Self.page().replacing("/var/spool/waybill/documents", with: path.path)
        .replacing("waybill-drop", with: user.name).replacing("[global]", with: "[global]\n\(own)")
    } prepare: { config in
      let made = try await Command.run(
        Smbd.words(["smbpasswd", "-c", config.path, "-s", "-a", user.name]),
        input: Data("\(Self.password)\n\(Self.password)\n".utf8))
      guard made.status == 0 else { throw Missing("smbpasswd: \(made.output)\(made.errors)") }
    }
    let share = self
    try await until("smbd to serve") { try await share.run("ls").status == 0 }
  }

  /// The `smb.conf` of the page.
  private static func page() throws -> String {
    let page = try String(contentsOfFile: Products.source("docs/windows.md"), encoding: .utf8)
    let blocks = page.components(separatedBy: "```ini\n").dropFirst().map { $0.components(separatedBy: "```\n")[0] }
    guard let block = blocks.first(where: { $0.contains("[scans]") && $0.contains("[global]") }) else {
      throw Missing("no smb.conf in docs/windows.md")
    }
    return block
  }

  /// Returns what testparm says of the configuration.
  func testparm() async throws -> Command { try await Command.run(Smbd.words(["testparm", "-s", smbd.config.path])) }

  /// Runs commands of smbclient in the share.
  func run(_ commands: String) async throws -> Command { try await Command.run(smbclient(commands)) }

  /// The words that do so.
  func smbclient(_ commands: String) -> [String] { smbd.client(["-U", "\(user.name)%\(Self.password)"]) + [commands] }

  /// Copies files as Windows does (`Tests/Support/windows-copy.py`): the full size first, then the bytes.
  ///
  /// - Parameter words: its options and files.
  func windows(_ words: [String], in folder: URL, log: String) throws -> ChildProcess {
    try ChildProcess(
      [
        Products.source(".build-test/smb-venv/bin/python"), Products.support("windows-copy.py"), String(smbd.port),
        user.name,
        Self.password,
      ] + words, input: .written, folder: folder, log: log)
  }

  /// For the end of a test.
  func cut() { smbd.cut() }
}
