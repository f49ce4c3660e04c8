import ChildProcesses
import HTTPTransfer
import Testing

/// Sessions of TLS, as the server sees them.
@Suite(.slot) struct SessionTests {
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
