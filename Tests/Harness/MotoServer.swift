import ChildProcesses
import Foundation

struct MotoServer {
  private static let program = Products.source(".build-test/moto-venv/bin/moto_server")

  let address: String
  private let child: ChildProcess

  init(in folder: URL) async throws {
    let port = Ports.free()
    let address = "http://127.0.0.1:\(port)"
    self.address = address
    child = try ChildProcess([Self.program, "-H", "127.0.0.1", "-p", String(port)], folder: folder, log: "moto")
    try await until("moto to answer") {
      try await Command.run(["curl", "-q", "-sS", "--noproxy", "*", "-X", "PUT", address + "/latest/api/token"]).status
        == 0
    }
  }
}

func withMoto(_ body: (MotoServer) async throws -> Void) async throws {
  let folder = try TemporaryFolder()
  let server = try await MotoServer(in: folder.url)
  try await body(server)
}
