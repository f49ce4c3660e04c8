import ChildProcesses
import HTTPTransfer
import Testing

@Suite(.slot) struct RequestTests {
  /// With a body of so many bytes, or none.
  @Test(arguments: [
    ("GET", nil, ["Host", "Accept-Encoding"]),
    ("DELETE", nil, ["Host", "Accept-Encoding"]),
    ("PUT", 2, ["Host", "Accept-Encoding", "Content-Length"]),
    ("POST", 0, ["Host", "Accept-Encoding", "Content-Length"]),
    ("POST", nil, ["Host", "Accept-Encoding", "Content-Length"]),
    ("PUT", 2 << 20, ["Host", "Accept-Encoding", "Content-Length"]),
  ])
  func addsNoExtraHeaders(_ method: String, _ count: Int?, _ names: [String]) async throws {
    let server = try await Server()
    let body = count.map { HTTPRequest.Body.bytes([UInt8](repeating: 1, count: $0)) } ?? .none
    let echo = try Echo(await Transport().send(server.request("/echo", method: method, body: body)))
    #expect(echo.method == method)
    #expect(echo.names == names)
  }

  @Test func sendsHeadersAndPathVerbatim() async throws {
    let server = try await Server()
    let headers = [
      HTTPHeader("Content-Type", "application/json"), HTTPHeader("accept", "text/plain"), HTTPHeader("X-Empty", ""),
      HTTPHeader("X-Twice", "1"), HTTPHeader("X-Twice", "2"), HTTPHeader("Content-Length", "2"),
    ]
    let path = "/echo/a%20b/../c//d%2Fe?list-type=2&prefix=a%2Bb"
    let echo = try Echo(
      await Transport().send(server.request(path, method: "POST", headers: headers, body: .bytes([1, 2]))))
    #expect(echo.path == path)
    let given = echo.headers.filter { !["Host", "Accept-Encoding", "Content-Length"].contains($0[0]) }
    #expect(
      given == [
        ["Content-Type", "application/json"], ["accept", "text/plain"], ["X-Empty", ""], ["X-Twice", "1"],
        ["X-Twice", "2"],
      ])
    #expect(echo.names.filter { $0 == "Content-Length" }.count == 1)
  }

  @Test(arguments: [
    HTTPHeader("X-A", "1\r\nX-Smuggled: 1"), HTTPHeader("X-A", "1\nX-Smuggled: 1"), HTTPHeader("X-A", "1\0"),
    HTTPHeader("X-A: 1\r\nX-B", "1"), HTTPHeader("X A", "1"), HTTPHeader("", "1"), HTTPHeader("X:", "1"),
    HTTPHeader("Expect", "100-continue"), HTTPHeader("Transfer-Encoding", "chunked"), HTTPHeader("Content-Length", "9"),
  ])
  func refusesUnsafeHeaders(_ header: HTTPHeader) async throws {
    let server = try await Server()
    let error = try await failure(of: server.request("/echo", headers: [header]))
    #expect(error.kind == .badRequest)
    #expect(!error.requestMayHaveArrived)
    #expect(try await server.stats().requests == 0)
  }

  @Test(arguments: [
    "http://127.0.0.1:PORT/echo x", "http://127.0.0.1:PORT/echo\r\nX: 1", "http://127.0.0.1:PORT/echo\0", "not a url",
    "ftp://127.0.0.1:PORT/echo", "file:///etc/passwd", "http://user:secret@127.0.0.1:PORT/echo", "http://", "",
  ])
  func refusesNonHTTPURLs(_ url: String) async throws {
    let server = try await Server()
    let error = try await failure(of: HTTPRequest(method: "GET", url: url.replacing("PORT", with: String(server.port))))
    #expect(error.kind == .badRequest)
    #expect(!error.words.contains("secret"))
    #expect(try await server.stats().requests == 0)
  }

  @Test(arguments: ["", "GET /x", "GET\r\n"]) func refusesInvalidMethods(_ method: String) async throws {
    let error = try await failure(of: HTTPRequest(method: method, url: "http://127.0.0.1:1/"))
    #expect(error.kind == .badRequest)
  }
}
