import ChildProcesses
import Foundation
import HTTPTransfer
import Jobs
import LoopbackPeer
import Messages
import Testing
@testable import Credentials

@Suite(.slot, .bounded) struct TokenFetcherTests {
  private static let now = Timestamp(seconds: 1_000_000)
  private static let json = ["Content-Type": "application/json"]

  private func fetch(
    _ reply: LoopbackPeer.Reply, _ adjust: (inout OAuthClient) -> Void = { _ in }
  ) async throws -> (Result<FetchedCredential, KeyFault>, LoopbackPeer) {
    let peer = try LoopbackPeer { _ in reply }
    var client = OAuthClient(
      url: "\(peer.url)/token?tenant=a-secret", clientID: "way bill", proof: .basic(.environment("S")))
    adjust(&client)
    let fetcher = TokenFetcher(client, environment: ["S": "s3cret:+ü", "P": "open"], now: { Self.now })
    return (await result { () async throws(KeyFault) in try await fetcher.token() }, peer)
  }

  private func token(_ members: String) -> LoopbackPeer.Reply { .answer(200, Self.json, members) }

  @Test(arguments: [
    (#"{"access_token":"t","token_type":"Bearer","expires_in":3600}"#, 3600),
    (#"{"access_token":"t","token_type":"bearer","expires_in":"3600"}"#, 3600),
    (#"{"access_token":"t","token_type":"BEARER","expires_in":3599.7,"scope":"x","id_token":null}"#, 3599),
    (#"{"access_token":"t","token_type":"BearerToken","expires_in":"1799"}"#, 1799),
    (#"{"access_token":"t"}"#, 300), (#"{"access_token":"t","expires_in":null,"token_type":null}"#, 300),
    (#"{"access_token":"t","expires_in":1}"#, 1),
    (#"{"access_token":"t","expires_in":99999999999999999999}"#, 86_400),
    (#"{"access_token":"t","expires_in":1e300}"#, 86_400), (#"{"access_token":"t","expires_in":86401}"#, 86_400),
    (#"{"access_token":"t","error":null,"expires_in":60}"#, 60),
  ]) func readsTokenAndLifetime(_ answer: String, _ life: Int64) async throws {
    let (result, _) = try await fetch(token(answer))
    let found = try result.get()
    #expect(found.value.secret.text == "t")
    #expect(found.expires == Self.now + .seconds(life))
  }

  /// Each is a reason in words; none is a token, and none waits for ever.
  @Test(
    arguments: [
      (
        400, json, #"{"error":"invalid_client","error_description":"unknown client"}"#,
        "HTTP 400: invalid_client: unknown client", "see client_id"
      ),
      (401, json, #"{"error":"invalid_client"}"#, "HTTP 401: invalid_client", "see client_id"),
      (400, json, #"{"error":"invalid_scope"}"#, "HTTP 400: invalid_scope", "scope and audience"),
      (400, json, "{}", "answered HTTP 400", "see client_id"), (401, [:], "", "answered HTTP 401", "see client_id"),
      (403, ["Content-Type": "text/html"], "<html><title>Forbidden</title>", "HTTP 403: Forbidden", "see client_id"),
      (404, [:], "no such page", "HTTP 404: no such page", "is the token endpoint"),
      (405, [:], "", "HTTP 405", "is the token endpoint"), (429, [:], "", "HTTP 429", "again by itself"),
      (500, json, #"{"error":"server_error"}"#, "HTTP 500: server_error", "again by itself"),
      (
        502, ["Content-Type": "text/html"], "<html><title>Bad Gateway</title>", "HTTP 502: Bad Gateway",
        "again by itself"
      ),
      (503, [:], "", "HTTP 503", "again by itself"), (504, [:], "", "HTTP 504", "again by itself"),
      (302, ["Location": "https://elsewhere/"], "", "HTTP 302", "redirects are not followed"),
      (204, [:], "", "HTTP 204", ""), (201, json, #"{"access_token":"t"}"#, "HTTP 201", ""),
      (
        200, ["Content-Type": "text/html"], "<html><title>Sign in</title>", "without a token in JSON",
        "is the token endpoint"
      ),
      (200, json, "", "without a token in JSON", ""), (200, json, "{", "without a token in JSON", ""),
      (200, json, "[]", "without a token in JSON", ""), (200, json, "null", "without a token in JSON", ""),
      (200, json, "{}", "no valid access_token", ""), (200, json, #"{"access_token":""}"#, "no valid access_token", ""),
      (200, json, #"{"access_token":7}"#, "no valid access_token", ""),
      (200, json, #"{"access_token":"a\r\nX-Evil: b"}"#, "no valid access_token", ""),
      (200, json, #"{"access_token":"a\n"}"#, "no valid access_token", ""),
      (200, json, #"{"access_token":"a b"}"#, "no valid access_token", ""),
      (200, json, #"{"error":"invalid_client"}"#, "HTTP 200: invalid_client", ""),
      (200, json, #"{"access_token":"t","token_type":"mac"}"#, "type mac, and not of the type Bearer", ""),
      (200, json, #"{"access_token":"t","token_type":"DPoP"}"#, "type DPoP", ""),
      (200, json, #"{"access_token":"t","expires_in":0}"#, "expired already", ""),
      (200, json, #"{"access_token":"t","expires_in":-1}"#, "expired already", ""),
      (200, json, #"{"access_token":"t","expires_in":-1e300}"#, "expired already", ""),
      (200, json, #"{"access_token":"t","expires_in":"soon"}"#, "expires_in that is not a number", ""),
      (200, json, #"{"access_token":"t","expires_in":"NaN"}"#, "expires_in that is not a number", ""),
      (200, json, #"{"access_token":"t","expires_in":true}"#, "expires_in that is not a number", ""),
      (200, json, #"{"access_token":"t","expires_in":{}}"#, "expires_in that is not a number", ""),
    ] as [(Int, [String: String], String, String, String)]) func reportsInvalidTokenResponse(
      _ status: Int, _ headers: [String: String], _ body: String, _ words: String, _ remedy: String
    ) async throws
  {
    let (result, _) = try await fetch(.answer(status, headers, body))
    let failure = #expect(throws: KeyFault.self) { try result.get() }
    #expect(failure?.message.text.contains(words) == true, "\(failure?.message.text ?? "")")
    #expect(failure?.message.text.hasPrefix("the token endpoint http://127.0.0.1:") == true)
    #expect(failure?.message.text.contains("a-secret") == false, "the query is not shown")
    #expect(remedy.isEmpty || failure?.advice?.text.contains(remedy) == true, "\(failure?.advice?.text ?? "")")
  }

  @Test func redactsEchoedSecrets() async throws {
    let said = #"{"error":"invalid_client","error_description":"bad secret s3cret:+ü"}"#
    let (result, _) = try await fetch(.answer(401, Self.json, said))
    let failure = #expect(throws: KeyFault.self) { try result.get() }
    #expect(failure?.message.text.contains("bad secret [secret]") == true, "\(failure?.message.text ?? "")")
  }

  @Test(
    arguments: [
      .cut, .raw(Array("SSH-2.0-x\r\n".utf8), .close), .raw(Array("HTTP/1.1 200 OK\r\nContent-Le".utf8), .reset),
      .raw(Array("HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n{".utf8), .close), .hold,
      .raw(Array("HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\n{".utf8), .drip([0x20, 0x20, 0x20, 0x20])),
    ] as [LoopbackPeer.Reply]) func reportsUnresponsiveServerInTime(
      _ reply: LoopbackPeer.Reply
    ) async throws
  {
    let (result, _) = try await fetch(reply)
    let failure = #expect(throws: KeyFault.self) { try result.get() }
    #expect(failure?.message.text.contains("cannot be reached") == true, "\(failure?.message.text ?? "")")
    #expect(failure?.advice?.text.contains("it is tried again by itself") == true)
  }

  @Test func rejectsEndlessResponse() async throws {
    let start = Array("HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n\r\n".utf8)
    let (result, _) = try await fetch(.raw(start, .forever([UInt8](repeating: 0x20, count: 65_536))))
    #expect(throws: KeyFault.self) { try result.get() }
  }

  @Test func authenticatesByEachMethod() async throws {
    let good = token(#"{"access_token":"t","token_type":"Bearer","expires_in":60}"#)
    let (_, basic) = try await fetch(good) {
      $0.scope = "a b"; $0.audience = "https://x/?y&z"
    }
    let asked = try #require(basic.requests.first)
    let pair = Data("way%20bill:s3cret%3A%2B%C3%BC".utf8).base64EncodedString()
    #expect(asked.method == "POST" && asked.target == "/token?tenant=a-secret")
    #expect(asked["Authorization"] == "Basic \(pair)")
    #expect(asked["Content-Type"] == "application/x-www-form-urlencoded")
    #expect(
      String(decoding: asked.body, as: UTF8.self)
        == "grant_type=client_credentials&scope=a%20b&audience=https%3A%2F%2Fx%2F%3Fy%26z")
    let (_, post) = try await fetch(good) { $0.proof = .post(.environment("S")) }
    let form = try #require(post.requests.first)
    #expect(form["Authorization"] == nil)
    #expect(
      String(decoding: form.body, as: UTF8.self)
        == "grant_type=client_credentials&client_id=way%20bill&client_secret=s3cret%3A%2B%C3%BC")
  }

  @Test func reportsUnreadableSecretsWithoutRequest() async throws {
    let sources: [OAuthClient.Proof] = [
      .basic(.environment("NONE")), .post(.file("/nonexistent/secret")), .basic(.credential("c")),
    ]
    for proof in sources {
      let (result, peer) = try await fetch(token("{}")) { $0.proof = proof }
      let failure = #expect(throws: KeyFault.self) { try result.get() }
      #expect(failure?.advice?.text.isEmpty == false, "\(failure?.message.text ?? "")")
      #expect(peer.requests.isEmpty)
    }
  }
}
