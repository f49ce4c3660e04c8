import ChildProcesses
import Foundation
import Testing

@testable import Harness

/// Backends that want tokens of an OAuth 2 server.
@Suite(.slot, .needs(.tokenServer))
struct OAuthTests {
  /// Starts server and daemon; the client's settings follow on its URL.
  private func withTokens(
    life: Int, environment: [String: String], _ body: (Rig, TokenServer) async throws -> Void
  ) async throws {
    let folder = try TemporaryFolder()
    let server = try await TokenServer(in: folder.url, life: life)
    try folder.write("secret", TokenServer.secret + "\n")
    try await withRig(environment: environment) {
      $0.backend = server.backend
      $0.backendLines = [
        "token = { oauth = { url = \"\(server.address)/token\", client_id = \"basic-client\", scope = \"documents.write\", "
          + "client_secret = { file = \"\(folder.file("secret"))\" } } }"
      ]
    } _: { rig in
      try await body(rig, server)
    }
  }

  private func allRegistered(_ rig: Rig, _ server: TokenServer, _ count: Int) async throws {
    try await until("all to be registered") { try await rig.daemon.count("registered") == count }
    let registered = try await server.facts().registered
    #expect(registered.members.count == count)
    #expect(registered.members.values.allSatisfy { $0.int == 1 }, "each once")
  }

  /// Tokens are renewed in their last quarter, while requests go on with the old ones. The daemon's clock is set ahead to there, and
  /// the server's is not: to it none is ever too old.
  @Test func rotationsRefuseNoJob() async throws {
    let folder = try TemporaryFolder()
    let clock = try await WallClock(in: folder.url)
    try await withTokens(life: 120, environment: clock.variables) { rig, server in
      var count = 0
      for turn in 0...4 {
        try clock.set(hours: 100.0 * Double(turn) / 3600)
        try await until("rotation \(turn)") {
          for _ in 1...20 {
            count += 1
            try rig.drop("\(count).pdf")
          }
          try await until("them") { try await rig.daemon.count("registered") >= count - 20 }
          return (try await server.facts().issued.int ?? 0) > turn
        }
      }
      try await allRegistered(rig, server, count)
      #expect(try await server.facts().refused == 0)
      let shown = try await rig.daemon.waybill("status", "--long").output
      #expect(shown.contains("OAuth 2 token of basic-client from \(server.address)/token") && !shown.contains("cret/"))
    }
  }
}
