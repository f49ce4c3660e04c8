import ChildProcesses
import Foundation
import HTTPTransfer
import Testing

/// A server that refuses by alerts of TLS, as HAProxy, Envoy and Apache do: OpenSSL's own server.
@Suite(.slot) struct ClientIdentityTests {
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  private func withServer(
    _ version: String, _ body: (HTTPRequest, _ own: ClientIdentity, _ other: ClientIdentity) async throws -> Void
  ) async throws {
    defer { folder.remove() }
    let (own, other) = (try await Certificate(for: "IP:127.0.0.1"), try await Certificate(for: "IP:127.0.0.1"))
    let server = try ChildProcess(
      [
        "openssl", "s_server", "-accept", "127.0.0.1:0", "-" + version, "-www", "-cert", own.chain, "-key", own.key,
        "-CAfile", own.authority, "-Verify", "3", "-verify_return_error",
      ], folder: folder.url, log: "s_server")
    let output = try await server.prints("its port") { $0.contains("ACCEPT 127.0.0.1:") && $0.hasSuffix("\n") }
    let port = try #require(output.split(separator: ":").last.map { $0.prefix(while: \.isNumber) })
    let shape = RequestShape(method: "GET", totalTimeout: .seconds(30), caFile: own.authority)
    let request = HTTPRequest(shape, url: "https://127.0.0.1:\(port)/")
    try await body(request, try identity(own), try identity(other))
  }

  private func identity(_ certificate: Certificate) throws -> ClientIdentity {
    ClientIdentity(
      certificate: Array(try Data(contentsOf: URL(filePath: certificate.chain))),
      key: Array(try Data(contentsOf: URL(filePath: certificate.key))))
  }

  @Test(arguments: ["tls1_2", "tls1_3"]) func presentsClientCertificate(_ version: String) async throws {
    try await withServer(version) { request, own, _ in
      var request = request
      request.identity = own
      let transport = try Transport()
      for _ in 1...2 { #expect(try await transport.send(request).status == 200) }
    }
  }

  /// The server says of TLS 1.2 without a certificate only that the handshake failed; that may have other reasons.
  @Test(arguments: ["tls1_2", "tls1_3"]) func reportsRefusedCertificate(_ version: String) async throws {
    try await withServer(version) { request, own, other in
      let transport = try Transport()
      for identity in [other, nil] where identity != nil || version == "tls1_3" {
        var request = request
        request.identity = identity
        let error = try await failure(of: request, over: transport)
        #expect(error.kind == .clientCertificate, "\(error)")
        #expect(error.words.contains(identity == nil ? "wants a client certificate" : "refuses the client certificate"))
      }
      // A handle that carried the refused one carries the right one.
      var request = request
      request.identity = own
      #expect(try await transport.send(request).status == 200)
      // A connection that was made with it is not used without it.
      guard version == "tls1_3" else { return }
      request.identity = nil
      let error = try await failure(of: request, over: transport)
      #expect(error.kind == .clientCertificate, "\(error)")
    }
  }

  @Test func reportsUnusableCertificate() async throws {
    try await withServer("tls1_3") { request, own, other in
      let (ownText, otherText) = (
        try await Certificate(for: "IP:127.0.0.1"), try await Certificate(for: "IP:127.0.0.1")
      )
      let certificate = Array(try Data(contentsOf: URL(filePath: ownText.chain)))
      let key = Array(try Data(contentsOf: URL(filePath: otherText.key)))
      for (certificate, key) in [(certificate, key), ([1, 2], key), (certificate, [1, 2])] {
        var request = request
        request.identity = ClientIdentity(certificate: certificate, key: key)
        let error = try await failure(of: request)
        #expect(error.kind == .clientCertificate && error.words.contains("cannot be used"), "\(error)")
        #expect(!error.requestMayHaveArrived)
      }
    }
  }
}
