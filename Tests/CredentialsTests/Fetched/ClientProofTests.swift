import ChildProcesses
import Foundation
import Jobs
import LoopbackPeer
import Messages
import Testing
@testable import Credentials

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

  private func fetch(_ client: OAuthClient) async -> Result<FetchedCredential, KeyFault> {
    await result { () async throws(KeyFault) in
      try await TokenFetcher(client, environment: [:], now: { Self.now }).token()
    }
  }

  private func failure(_ client: OAuthClient) async -> KeyFault? {
    let result = await fetch(client)
    return #expect(throws: KeyFault.self) { try result.get() }
  }

  /// A server that wants a certificate of the authority's; its token names the one that it was shown.
  @Test func authenticatesByClientCertificate() async throws {
    defer { folder.remove() }
    let certificate = try await Certificate(for: "IP:127.0.0.1")
    let server = try ChildProcess(
      [
        try await Products.python.value, "-I", Products.support("scripted_server.py"), "--tls", certificate.chain,
        certificate.key, "--client-ca", certificate.authority,
      ], input: .written, folder: folder.url, log: "server")
    let port = try await server.prints("\n").dropLast()
    var client = OAuthClient(
      url: "https://127.0.0.1:\(port)/token", clientID: "w", proof: .certificate,
      clientCertificate: ClientCertificate(certificate: .file(certificate.chain), key: .file(certificate.key)),
      caFile: certificate.authority)
    #expect(try await fetch(client).get().value.secret.text == "server/grant_type=client_credentials&client_id=w")
    client.clientCertificate = ClientCertificate(certificate: source("other"), key: source("other.key"))
    let refused = await failure(client)
    #expect(refused?.advice?.text == "see client_cert of oauth", "\(refused?.message.text ?? "")")
    client.clientCertificate = ClientCertificate(certificate: source("other"), key: source("key"))
    let wrong = await failure(client)
    let told = try #require(wrong?.message.text)
    #expect(told.contains("does not have the key of the certificate"), "\(told)")
  }
}
