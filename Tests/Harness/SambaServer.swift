import ChildProcesses
import Foundation

/// A real smbd on loopback with one share, where everybody is the dropper, and a client for it.
struct SambaServer {
  private let smbd: Smbd

  /// Serves a directory as the manual has it, and waits until it is served.
  init(for user: OtherUser, path: URL, in parent: URL) async throws {
    smbd = try await Smbd(in: parent) { own in
      """
      [global]
      server role = standalone server
      disable netbios = yes
      map to guest = bad user
      guest account = \(user.name)
      load printers = no
      \(own)
      [scans]
      path = \(path.path)
      guest ok = yes
      \(try Self.share())
      """
    }
    let server = self
    try await until("smbd to serve") { try await server.run("ls").status == 0 }
  }

  /// The settings of the manual's share, without those for its place, users and group.
  private static func share() throws -> String {
    let page = try String(contentsOfFile: Products.source("docs/windows.md"), encoding: .utf8)
    let lines = page.split(separator: "\n", omittingEmptySubsequences: false)
    guard let start = lines.firstIndex(of: "[scans]") else { throw Missing("no share in docs/windows.md") }
    return lines[(start + 1)...].prefix { !$0.hasPrefix("```") }
      .filter { !$0.hasPrefix("path =") && !$0.hasPrefix("valid users =") && !$0.hasPrefix("force group =") }
      .joined(separator: "\n")
  }

  /// Runs commands of smbclient in the share.
  func run(_ commands: String) async throws -> Command { try await Command.run(words + [commands]) }

  /// What to type before commands of smbclient, in a shell.
  var words: [String] { smbd.client(["-N"]) }

  /// For the end of a test.
  func cut() { smbd.cut() }
}
