import ChildProcesses
import Foundation
import Jobs
import LoopbackPeer
import OpenSSL
import Testing
@testable import Credentials

private typealias Certificate = OpenSSL.Certificate

/// Clients of a token endpoint that show who they are by a key or a certificate.
@Suite(.slot, .bounded) struct ClientProofTests {
  private static let now = Timestamp(seconds: 1_000_000)
  private let folder: TemporaryFolder

  init() async throws {
    folder = try TemporaryFolder()
    let script = """
      set -e; cd "$1"
      openssl req -x509 -newkey rsa:2048 -nodes -keyout key -out cert -subj /CN=w
      openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -keyout other.key -out other -subj /CN=o
      """
    try await Command.require(["sh", "-c", script, "sh", folder.path])
  }

  private func source(_ name: String) -> CredentialSource { .file(folder.file(name)) }

  private func fetch(_ client: OAuthClient) async -> Result<FetchedCredential, FetchFailure> {
    await TokenFetcher(client, environment: [:], now: { Self.now }).fetch()
  }

  private func failure(_ client: OAuthClient) async -> FetchFailure? {
    let result = await fetch(client)
    return #expect(throws: FetchFailure.self) { try result.get() }
  }

  private func bytes(_ part: Substring) throws -> Data {
    let text = part.replacing("-", with: "+").replacing("_", with: "/")
    return try #require(Data(base64Encoded: text + String(repeating: "=", count: (4 - text.count % 4) % 4)))
  }

  /// Sends a statement; returns its header and claims. The command has verified its signature.
  private func statement(_ signing: OAuthClient.Signing) async throws -> (head: [String: String], claims: [String: Any])
  {
    let peer = try LoopbackPeer { _ in .answer(200, [:], #"{"access_token":"t"}"#) }
    _ = try await fetch(OAuthClient(url: "\(peer.url)/t", clientID: "w", proof: .key(signing))).get()
    let form = String(decoding: try #require(peer.requests.first).body, as: UTF8.self)
    let pair = try #require(form.split(separator: "&").first { $0.hasPrefix("client_assertion=") })
    let parts = pair.dropFirst("client_assertion=".count).split(separator: ".")
    try #require(parts.count == 3)
    let head = try #require(try JSONSerialization.jsonObject(with: bytes(parts[0])) as? [String: String])
    let claims = try #require(try JSONSerialization.jsonObject(with: bytes(parts[1])) as? [String: Any])
    try Data("\(parts[0]).\(parts[1])".utf8).write(to: folder.url.appending(path: "signed"))
    try bytes(parts[2]).write(to: folder.url.appending(path: "signature"))
    let isPSS = head["alg"] == "PS256"
    try await Command.require(
      ["openssl", "dgst", "-sha256", "-prverify", folder.file("key")]
        + (isPSS ? ["-sigopt", "rsa_padding_mode:pss", "-sigopt", "rsa_pss_saltlen:32"] : [])
        + ["-signature", folder.file("signature"), folder.file("signed")])
    return (head, claims)
  }

  @Test func signsClientAssertion() async throws {
    defer { folder.remove() }
    let (plain, own) = try await statement(OAuthClient.Signing(key: source("key")))
    #expect(plain == ["alg": "RS256", "typ": "JWT"])
    #expect(
      (own["aud"] as? String)?.hasSuffix("/t") == true && own["iss"] as? String == "w" && own["sub"] as? String == "w")
    let (full, claims) = try await statement(
      OAuthClient.Signing(
        key: source("key"), keyID: "k", certificate: source("cert"), algorithm: .ps256, audience: "https://issuer"))
    #expect(full["alg"] == "PS256" && full["kid"] == "k" && claims["aud"] as? String == "https://issuer")
    let pem = Array(try Data(contentsOf: folder.url.appending(path: "cert")))
    #expect(
      try bytes(Substring(try #require(full["x5t#S256"]))) == Data(try #require(Certificate(pem: pem).thumbprint)))
  }

  @Test func reportsWrongCertificateWithoutRequest() async throws {
    defer { folder.remove() }
    let signing = OAuthClient.Signing(key: source("key"), certificate: source("other"))
    let client = OAuthClient(url: "http://127.0.0.1:1/t", clientID: "w", proof: .key(signing))
    let told = await failure(client)
    #expect(told?.words.contains("is the certificate of another key") == true, "\(told?.words ?? "")")
  }

  /// A server that wants a certificate of the authority's; its token names the one that it was shown.
  @Test func authenticatesByClientCertificate() async throws {
    defer { folder.remove() }
    let certificate = try await ChildProcesses.Certificate(for: "IP:127.0.0.1")
    let server = try ChildProcess(
      [
        try await Products.python.value, "-I", Products.support("scripted_server.py"), "--tls", certificate.chain,
        certificate.key, "--client-ca", certificate.authority,
      ], input: .written, folder: folder.url, log: "server")
    defer { server.cut() }
    let port = try await server.prints("\n").dropLast()
    var client = OAuthClient(
      url: "https://127.0.0.1:\(port)/token", clientID: "w", proof: .certificate,
      clientCertificate: ClientCertificate(certificate: .file(certificate.chain), key: .file(certificate.key)),
      caFile: certificate.authority)
    #expect(try await fetch(client).get().value.secret.text == "server/grant_type=client_credentials&client_id=w")
    client.clientCertificate = ClientCertificate(certificate: source("other"), key: source("other.key"))
    let refused = await failure(client)
    #expect(refused?.remedy == "see client_cert of oauth", "\(refused?.words ?? "")")
    client.clientCertificate = ClientCertificate(certificate: source("other"), key: source("key"))
    let wrong = await failure(client)
    #expect(wrong?.words.contains("does not have the key of the certificate") == true, "\(wrong?.words ?? "")")
  }
}
