import ChildProcesses
import Foundation
import Testing

@testable import HTTPTransfer

/// Sessions of TLS, as the server sees them: a connection that resumes one shows what an earlier one was given.
@Suite(.slot) struct SessionTests {
  private let server: Server

  init() async throws { server = try await Server(certificate: Certificate(for: "IP:127.0.0.1")) }

  /// Sends one request, and then as many at once as are to have a connection each: new ones may resume one another's sessions.
  private func send(_ count: Int, _ change: @Sendable (inout HTTPRequest) -> Void = { _ in }) async throws {
    let transport = try Transport()
    #expect(try await transport.send(server.request("/echo")).status == 200)
    var request = server.request("/gather/\(count)")
    change(&request)
    try await withThrowingTaskGroup { [request] group in
      for _ in 1...count { group.addTask { try await transport.send(request).status } }
      for try await status in group { #expect(status == 200) }
    }
  }

  @Test func newConnectionsResumeSession() async throws {
    try await send(2)
    let stats = try await server.stats()
    #expect(stats.connections == 2 && stats.resumed == 1, "\(stats): the first one goes on, and one is new")
  }

  /// They are the same authorities, but nobody has compared them.
  @Test func otherAuthoritiesResumeNothing() async throws {
    let folder = try TemporaryFolder()
    defer { folder.remove() }
    let other = folder.file("other.pem")
    try FileManager.default.copyItem(atPath: try #require(server.request("/").caFile), toPath: other)
    try await send(1) { $0.caFile = other }
    let stats = try await server.stats()
    #expect(stats.connections == 2 && stats.resumed == 0, "\(stats)")
  }

  /// A resumed session would have the certificate, or the lack of one, with which it began.
  @Test func clientCertificateResumesNothing() async throws {
    let certificate = try await Certificate(for: "IP:127.0.0.1")
    let identity = ClientIdentity(
      certificate: Array(try Data(contentsOf: URL(filePath: certificate.chain))),
      key: Array(try Data(contentsOf: URL(filePath: certificate.key))))
    try await send(1) { $0.identity = identity }
    let stats = try await server.stats()
    #expect(stats.connections == 2 && stats.resumed == 0, "\(stats)")
  }

  /// Authorities that are replaced count as soon as libcurl reads them again.
  @Test func sessionsEndWithAuthorities() throws {
    let sessions = try #require(SharedSessions(at: 1000))
    #expect(!sessions.isOver(at: 60_999))
    #expect(sessions.isOver(at: 61_000))
  }
}
