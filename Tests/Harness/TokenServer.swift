import ChildProcesses
import Foundation

/// A real OAuth 2 server (Authlib) with a backend behind it that takes its tokens alone.
struct TokenServer {
  private static let program = Products.source(".build-test/token-venv/bin/python")

  /// The secret of its clients; it has all that has to be encoded.
  static let secret = "se cret/+&%ü"

  /// `http://127.0.0.1:PORT`.
  let address: String
  private let child: ChildProcess

  /// Starts one and waits until it answers; its tokens are good for so many seconds.
  init(in folder: URL, life: Int) async throws {
    let port = Ports.free()
    let address = "http://127.0.0.1:\(port)"
    self.address = address
    child = try ChildProcess(
      [Self.program, Products.support("token-server.py"), "\(port)", "\(life)", Self.secret],
      folder: folder, log: "tokens")
    try await until("the token server to answer") { [child] in
      guard try child.ending() == nil else { throw Missing("it ended at its start: \(child.errorText)") }
      return try await HTTPAnswer.call("GET", address + "/facts").status == 200
    }
  }

  var backend: String { address + "/documents" }

  func facts() async throws -> JSONValue { try await HTTPAnswer.call("GET", address + "/facts").json }
}
