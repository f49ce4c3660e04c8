import ChildProcesses
import HTTPTransfer
import Jobs
import Testing

@Suite(.slot) struct AnswerTests {
  @Test func statusHeadersAndBodyArrive() async throws {
    let server = try await Server()
    let response = try await Transport().send(server.request("/echo"))
    #expect(response.status == 200)
    #expect(response.headers[first: "eTaG"] == "\"abc\"")
    #expect(response.headers[first: "X-Folded"] == "one two")
    #expect(response.headers[first: "X-None"] == nil)
    #expect(!response.bodyTruncated)
  }

  @Test(arguments: [204, 301, 307, 400, 401, 404, 412, 500, 503, 599, 999])
  func returnsEveryStatusWithoutRedirecting(_ status: Int) async throws {
    let server = try await Server()
    let response = try await Transport().send(server.request("/status/\(status)"))
    #expect(response.status == status)
    #expect(response.headers[first: "Location"] == "http://127.0.0.1:1/elsewhere")
    #expect(try await server.stats().requests == 1)
  }

  @Test(arguments: [(99, true), (100, false), (101, false)])
  func bodyLimitTruncatesAndKeepsConnection(_ limit: Int, _ truncated: Bool) async throws {
    let server = try await Server()
    let transport = try Transport()
    var request = server.request("/bytes/100")
    request.bodyLimit = limit
    for _ in 1...2 {
      let response = try await transport.send(request)
      #expect(response.body.count == min(limit, 100))
      #expect(response.bodyTruncated == truncated)
    }
    #expect(try await server.stats().connections == 1)
  }

  @Test(arguments: [(200, 120_000), (300, 64 << 10), (500, 64 << 10)])
  func failuresAreKeptUpToALimitOfTheirOwn(_ status: Int, _ kept: Int) async throws {
    let server = try await Server()
    var request = server.request("/status/\(status)/30000")
    request.bodyLimit = 1 << 20
    let response = try await Transport().send(request)
    #expect(response.body.count == kept && response.bodyTruncated == (kept < 120_000))
  }

  /// An answer that is no HTTP, and three that are cut. For the gate libcurl's code counts.
  @Test(arguments: [
    ("/garbage", TransferError.Kind.badResponse), ("/cut/200", .connectionLost), ("/hang-up", .connectionLost),
    ("/cut-head", .connectionLost),
  ]) func brokenAnswerIsOfGateway(_ path: String, _ kind: TransferError.Kind) async throws {
    let server = try await Server()
    let error = try await failure(of: server.request(path, method: "PUT", body: .bytes([1])))
    #expect(error.kind == kind && error.requestMayHaveArrived)
    #expect(Gate.Symptom(of: error.failure, .ask).kind == .gateway, "\(error)")
  }

  @Test func truncatedFailureKeepsStatus() async throws {
    let server = try await Server()
    let response = try await Transport().send(server.request("/cut/503"))
    #expect(response.status == 503)
    #expect(response.body == Array("abc".utf8))
    #expect(response.bodyTruncated)
  }
}
