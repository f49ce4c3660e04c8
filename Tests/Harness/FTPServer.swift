import ChildProcesses
import Foundation

/// A real FTP server on loopback (pyftpdlib), run by the one user whose files it makes.
struct FTPServer {
  private static let python = Products.source(".build-test/ftp-venv/bin/python")

  private let port: Int
  private let child: ChildProcess

  /// Serves a directory to everybody, for writing too, and waits until it listens.
  init(for user: OtherUser, path: URL, in folder: URL) async throws {
    port = Ports.free()
    let serve = #"umask 007; exec "$0" -m pyftpdlib -i 127.0.0.1 -p "$1" -w -d "$2""#
    child = try ChildProcess(
      user.words(["sh", "-c", serve, Self.python, String(port), path.path]), folder: folder, log: "ftpd")
    let server = self
    try await until("the FTP server to listen") {
      try await Command.run(["curl", "-sS", "--list-only", server.address("") + "/"]).status == 0
    }
  }

  func address(_ path: String) -> String { "ftp://127.0.0.1:\(port)\(path.isEmpty ? "" : "/")\(path)" }

  func put(_ file: String, as path: String) async throws {
    try await Command.require(["curl", "-sS", "--ftp-create-dirs", "-T", file, address(path)])
  }
}
