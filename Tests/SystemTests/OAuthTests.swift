import ChildProcesses
import Foundation
import LoopbackPeer
import Testing

@testable import Harness

/// Backends that want tokens of an OAuth 2 server.
@Suite(.slot, .needs(.tokenServer))
struct OAuthTests {
  /// Starts server and daemon; the client's settings follow on its URL.
  private func withTokens(
    life: Int = 3600, client: String = "basic-client", secret: String = TokenServer.secret, more: String = "",
    environment: [String: String] = [:], _ body: (Rig, TokenServer) async throws -> Void
  ) async throws {
    let folder = try TemporaryFolder()
    defer { folder.remove() }
    let server = try await TokenServer(in: folder.url, life: life)
    defer { server.cut() }
    try folder.write("secret", secret + "\n")
    try await withRig(environment: environment) {
      $0.backend = server.backend
      $0.backendLines = [
        "token = { oauth = { url = \"\(server.address)/token\", client_id = \"\(client)\", scope = \"documents.write\", "
          + "client_secret = { file = \"\(folder.file("secret"))\" }\(more) } }"
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

  @Test(arguments: [("basic-client", ""), ("post-client", ", auth = \"post\", audience = \"https://api.example.com\"")])
  func secretClientGetsOneToken(_ client: String, _ more: String) async throws {
    try await withTokens(client: client, more: more) { rig, server in
      for number in 1...100 { try rig.drop("\(number).pdf") }
      try await allRegistered(rig, server, 100)
      let facts = try await server.facts()
      #expect(facts.issued == 1 && facts.refused == 0 && facts.refused_clients == 0)
      #expect(facts.audiences.array.first?.string == (client == "post-client" ? "https://api.example.com" : nil))
      let shown = try await rig.daemon.waybill("status", "--long").output
      #expect(shown.contains("OAuth 2 token of \(client) from \(server.address)/token") && shown.contains("at once"))
      #expect(!shown.contains("cret/"))
    }
  }

  /// Tokens are renewed in their last quarter, while requests go on with the old ones. The daemon's clock is set ahead to there, and
  /// the server's is not: to it none is ever too old.
  @Test func rotationsRefuseNoJob() async throws {
    let folder = try TemporaryFolder()
    defer { folder.remove() }
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
    }
  }

  /// All tokens are taken back while many jobs are under way: those that are refused get one new token together.
  @Test func replacesRevokedTokenWithoutLosingAttempt() async throws {
    try await withTokens { rig, server in
      try await rig.drop("first.pdf", until: "registered")
      try await server.revoke()
      for number in 1...100 { try rig.drop("\(number).pdf") }
      try await allRegistered(rig, server, 101)
      let facts = try await server.facts()
      #expect(facts.issued == 2)
      #expect((1...32).contains(facts.refused.int ?? 0))
      let told = try await rig.daemon.control("GET", "/v1/jobs?limit=200").json.jobs.array
      #expect(told.allSatisfy { ($0.attempt.int ?? 0) <= 1 }, "no attempt is spent on it")
      #expect(try await rig.daemon.status().gates.array.isEmpty)
    }
  }

  /// A backend that takes no token at all: each job is refused with one new token tried, and the server is not flooded.
  @Test func rejectedTokensCloseGate() async throws {
    let peer = try LoopbackPeer { request in
      request.target == "/token"
        ? .answer(
          200, ["Content-Type": "application/json"],
          #"{"access_token":"t\#(UInt64.random(in: 0 ... .max))","expires_in":3600}"#)
        : .answer(401, [:], "no")
    }
    try await withRig(environment: ["S": "secret"]) { setup in
      setup.backend = peer.url + "/documents"
      setup.backendLines = [
        "token = { oauth = { url = \"\(peer.url)/token\", client_id = \"w\", client_secret = { env = \"S\" } } }"
      ]
    } _: { rig in
      for number in 1...40 { try rig.drop("\(number).pdf") }
      try await until("the key to be refused") { try await rig.daemon.count("awaiting-credentials") > 0 }
      try await until("nothing to be in flight") { try await rig.daemon.count("active") == 0 }
      let tokens = peer.requests.count { $0.target == "/token" }
      // One that was refused is not replaced again for half a minute.
      #expect((2...10).contains(tokens), "\(tokens)")
      #expect(try await rig.daemon.count("aborted") == 0)
      #expect(try await rig.daemon.count("awaiting-confirmation") == 0)
    }
  }

  @Test func wrongSecretWaitsForRightOne() async throws {
    try await withTokens(secret: "wrong") { rig, server in
      let job = try await rig.drop("a.pdf", until: "awaiting-credentials")
      let words = job.error.message.string ?? ""
      #expect(words.contains("\(server.address)/token answered HTTP 401: invalid_client"), "\(words)")
      #expect(words.contains("see client_id"), "\(words)")
      let path = try #require(rig.setup.backendLines.first?.firstMatch(of: /file = "([^"]*)"/)?.1)
      try (TokenServer.secret + "\n").write(toFile: String(path), atomically: true, encoding: .utf8)
      try await allRegistered(rig, server, 1)
    }
  }

  /// The server goes away for a while, and says nothing for another: jobs wait, and go on by themselves.
  @Test func waitsForUnreachableTokenServer() async throws {
    let folder = try TemporaryFolder()
    defer { folder.remove() }
    let port = Ports.free()
    try await withRig(environment: ["S": TokenServer.secret]) { setup in
      setup.backend = "http://127.0.0.1:\(port)/documents"
      setup.backendLines = [
        "token = { oauth = { url = \"http://127.0.0.1:\(port)/token\", client_id = \"basic-client\", "
          + "scope = \"documents.write\", client_secret = { env = \"S\" } } }"
      ]
    } _: { rig in
      let job = try await rig.drop("a.pdf", until: "awaiting-credentials")
      let words = job.error.message.string ?? ""
      #expect(words.contains("/token cannot be reached") && words.contains("tried again by itself"), "\(words)")
      let problems = try await rig.daemon.status().problems.array.compactMap(\.what.string)
      #expect(problems.contains { $0.contains("OAuth 2 token of basic-client") }, "\(problems)")
      let server = try await TokenServer(in: folder.url, port: port, life: 3600)
      defer { server.cut() }
      try await allRegistered(rig, server, 1)
      try await until("the problem to be over") { try await rig.daemon.status().problems.array.isEmpty }
    }
  }
}
