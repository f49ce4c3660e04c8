import ChildProcesses
import HTTPTransfer
import Testing

@Suite(.slot) struct TLSTests {
  /// For another name, expired, of an authority that nobody trusts, and not valid yet.
  @Test(arguments: [
    ("DNS:elsewhere.test", 2, true, false), ("IP:127.0.0.1", -1, true, false), ("IP:127.0.0.1", 2, false, false),
    ("IP:127.0.0.1", 2, true, true),
  ])
  func sendsNothingToUntrustedServer(_ name: String, _ days: Int, _ isTrusted: Bool, _ isLater: Bool) async throws {
    let server = try await Server(certificate: Certificate(for: name, days: days, isLater: isLater))
    var request = server.request("/echo")
    if !isTrusted { request.caFile = nil }
    let error = try await failure(of: request)
    #expect(error.kind == (isLater ? .tlsNotYetValid : .tlsCertificate))
    #expect(error.words.contains(isLater ? "is not valid yet by the clock here" : "is not accepted"), "\(error.words)")
    #expect(!error.requestMayHaveArrived)
  }

  @Test func namesUnreadableCAFile() async throws {
    let server = try await Server(certificate: Certificate(for: "IP:127.0.0.1"))
    var request = server.request("/echo")
    request.caFile = "/nonexistent/ca.pem"
    let error = try await failure(of: request)
    #expect(error.kind == .tlsCertificate)
    #expect(error.words.contains("/nonexistent/ca.pem"))
  }

  /// It would wait for the network for ever, and it is a letter in the configuration.
  @Test func plainPortIsNamed() async throws {
    let server = try await Server()
    var request = server.request("/echo")
    request.url = request.url.replacing("http:", with: "https:")
    let error = try await failure(of: request)
    #expect(error.kind == .tlsPlain)
    #expect(
      error.words.hasPrefix("the port of 127.0.0.1:\(server.port) speaks plain HTTP: write http:// ("), "\(error.words)"
    )
    #expect(!error.requestMayHaveArrived)
  }

  private func peer(answering bytes: [UInt8]) async throws -> (ChildProcess, port: Int) {
    let script = """
      import socket
      server = socket.create_server(("127.0.0.1", 0))
      print(server.getsockname()[1], flush=True)
      peer, _ = server.accept()
      peer.recv(65536)
      peer.sendall(bytes(\(bytes)))
      peer.close()
      """
    let server = try ChildProcess([try await Products.python.value, "-I", "-c", script])
    return (server, try #require(Int(try await server.prints("\n").dropLast())))
  }

  /// A server that answers a request that is no TLS with an alert (RFC 8446, section 6), as GnuTLS does.
  @Test func tlsPortIsNamed() async throws {
    let (server, port) = try await peer(answering: [0x15, 3, 1, 0, 2, 2, 70])
    defer { server.cut() }
    let error = try await failure(of: HTTPRequest(method: "GET", url: "http://127.0.0.1:\(port)/"))
    #expect(error.kind == .badResponse)
    #expect(
      error.words.hasPrefix("127.0.0.1:\(port) did not answer in HTTP: if the port speaks TLS, write https:// ("),
      "\(error.words)")
  }

  /// OpenSSL sends no alert to a request that is no TLS. It closes the connection, which may be any loss.
  @Test(arguments: [
    ("http://127.0.0.1", true), ("https://127.0.0.1", false),
  ]) func tlsPortThatSaysNothingIsNamed(_ origin: String, _ isNamed: Bool) async throws {
    let (server, port) = try await peer(answering: [])
    defer { server.cut() }
    let error = try await failure(
      of: HTTPRequest(RequestShape(method: "GET", mayBeRepeated: false), url: "\(origin):\(port)/"))
    #expect(error.words.hasSuffix("If the port speaks TLS, write https://") == isNamed, "\(error.words)")
  }

  /// A server that speaks TLS 1.1 alone, by OpenSSL's own server: it is that server's settings, and no fault that passes.
  @Test func reportsUnsupportedTLSVersion() async throws {
    let certificate = try await Certificate(for: "IP:127.0.0.1")
    let folder = try TemporaryFolder()
    let server = try ChildProcess(
      [
        "openssl", "s_server", "-accept", "127.0.0.1:0", "-tls1_1", "-cipher", "ALL:@SECLEVEL=0", "-www", "-cert",
        certificate.chain, "-key", certificate.key,
      ], folder: folder.url, log: "s_server")
    let output = try await server.prints("its port") { $0.contains("ACCEPT 127.0.0.1:") && $0.hasSuffix("\n") }
    let port = try #require(output.split(separator: ":").last.map { $0.prefix(while: \.isNumber) })
    var request = HTTPRequest(method: "GET", url: "https://127.0.0.1:\(port)/")
    request.caFile = certificate.authority
    let error = try await failure(of: request)
    #expect(error.kind == .tlsVersion)
    #expect(error.words.contains("127.0.0.1:\(port) has no TLS version in common with this machine"), "\(error.words)")
    #expect(!error.requestMayHaveArrived)
  }

  /// A resumed session would have the authorities and the client certificate with which it began.
  @Test func newConnectionResumesNothing() async throws {
    let server = try await Server(certificate: Certificate(for: "IP:127.0.0.1"))
    let transport = try Transport()
    #expect(try await transport.send(server.request("/echo")).status == 200)
    try await withThrowingTaskGroup { group in
      for _ in 1...2 { group.addTask { try await transport.send(server.request("/gather/2")).status } }
      for try await status in group { #expect(status == 200) }
    }
    let stats = try await server.stats()
    #expect(stats.connections == 2 && stats.resumed == 0, "\(stats)")
  }
}
