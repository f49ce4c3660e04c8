import ChildProcesses
import Credentials
import HTTPTransfer
import Jobs
import LoopbackPeer
import Messages
import Settings
import Testing

@testable import Registration

/// A look at the backend before a job tries it.
@Suite(.slot) struct HealthTests {
  private static func backend(
    _ health: String?, url: String = "http://127.0.0.1:1/documents", unreadable: CredentialError? = nil
  ) throws -> Backend {
    try TestBackend.make(
      url, headers: ["X-Source": "scanner-3"], secretHeaders: ["X-Api-Key": "secret"], unreadable: unreadable,
      health: health)
  }

  @Test func sendsGetWithoutTokenOrHeaders() async throws {
    let peer = try LoopbackPeer { _ in .answer(204) }
    #expect(try await Self.backend(peer.url + "/health?deep=1").look() == nil)
    let request = try #require(peer.requests.first)
    #expect(request.method == "GET" && request.target == "/health?deep=1")
    #expect(
      Set(request.headers.map { $0[0].lowercased() }).isDisjoint(with: ["authorization", "x-api-key", "x-source"]))
    #expect(request["User-Agent"] == "waybill/1.2.3")
    #expect(try await Self.backend(nil).look() == nil)
    #expect(peer.requests.count == 1)
  }

  @Test func connectsWithoutRequest() async throws {
    let peer = try LoopbackPeer { _ in .answer(503) }
    #expect(try await Self.backend(nil).look(forConnection: true)?.kind == .network, "nothing listens there")
    let backend = try Self.backend(nil, url: peer.url)
    #expect(try await backend.look(forConnection: true) == nil)
    #expect(try await backend.look() == nil && peer.requests.isEmpty)
    let result = await backend.register(id: TestBackend.id, body: Array("{}".utf8))
    #expect(peer.requests.map(\.method) == ["POST"], "\(result)")
  }

  @Test(
    arguments: [
      (200, nil), (206, nil), (503, .unavailable), (429, .throttled), (500, .transient), (404, .transient),
      (401, .transient), (301, .transient), (422, .transient),
    ] as [(Int, Failure.Kind?)])
  func only2xxIsHealthy(_ status: Int, _ kind: Failure.Kind?) async throws {
    let peer = try LoopbackPeer { _ in .answer(status, ["Retry-After": "7"]) }
    let failure = try await Self.backend(peer.url).look()
    #expect(failure?.kind == kind && failure?.status == kind.map { _ in status })
    if let failure { #expect(failure.words.hasPrefix("health: HTTP \(status)")) }
    if kind == .unavailable { #expect(failure?.retryAfter == .seconds(7)) }
  }

  @Test func reportsFailedHealthCheck() async throws {
    #expect(try await Self.backend("http://127.0.0.1:1/").look()?.kind == .network)
    let gone = CredentialError(source: .file("/key"), words: .text("cannot read /key"))
    #expect(try await Self.backend("http://127.0.0.1:1/", unreadable: gone).look()?.kind == .credentials)
    let (arrivals, arrived) = AsyncStream.makeStream(of: Void.self)
    let silent = try LoopbackPeer { _ in
      arrived.yield()
      return .hold
    }
    let backend = try Self.backend(silent.url)
    let look = Task { try await backend.look() }
    for await _ in arrivals { break }
    look.cancel()
    await #expect(throws: CancellationError.self) { try await look.value }
  }
}
