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
    let error = try await failure { () async throws(TransferError) in
      try await Transport().send(server.request("/echo", headers: [header]))
    }
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
    let error = try await failure { () async throws(TransferError) in
      try await Transport().send(
        HTTPRequest(method: "GET", url: url.replacing("PORT", with: String(server.port))))
    }
    #expect(error.kind == .badRequest)
    #expect(!error.words.contains("secret"))
    #expect(try await server.stats().requests == 0)
  }

  @Test(arguments: ["", "GET /x", "GET\r\n"]) func refusesInvalidMethods(_ method: String) async throws {
    let error = try await failure { () async throws(TransferError) in
      try await Transport().send(HTTPRequest(method: method, url: "http://127.0.0.1:1/"))
    }
    #expect(error.kind == .badRequest)
  }

  /// A signature does not grow old in the line: the request is built once the one before it has ended.
  @Test func buildsRequestAtItsTurn() async throws {
    let server = try await Server()
    let transport = try Transport(inFlight: 1)
    let built = Counter()
    let build: @Sendable () async throws -> HTTPRequest = {
      _ = await built.next()
      return server.request("/echo")
    }
    let first = Task { try await transport.send(server.request("/gather/2")) }
    try await server.waitUntil { $0.requests == 1 }
    let second = Task { try await transport.send(RequestTraits(), built: build) }
    // A third one that is cut shows that the line has been looked at meanwhile.
    let third = Task { try await transport.send(RequestTraits(), built: build) }
    third.cancel()
    let cut = await third.result
    #expect(throws: TransferError.self) { try cut.get() }
    #expect(await built.count == 0)
    let other = try Transport()
    #expect(try await other.send(server.request("/gather/2")).status == 200)
    #expect(try await first.value.status == 200)
    #expect(try await second.value.status == 200)
    #expect(await built.count == 1)
  }

  /// A request that cannot be built leaves its place to the next one, and what it was allowed to send.
  @Test func failedBuildFreesItsPlace() async throws {
    struct NoKey: Error {}
    let server = try await Server()
    let transport = try Transport(inFlight: 1, sendLimit: 1 << 20)
    for _ in 1...3 {
      await #expect(throws: NoKey.self) {
        try await transport.send(RequestTraits(pacedBytes: 1 << 30)) { throw NoKey() }
      }
      await #expect(throws: TransferError.self) {
        try await transport.send(RequestTraits()) { HTTPRequest(method: "GET /", url: server.url("/echo")) }
      }
    }
    var request = server.request("/echo", method: "PUT", body: .bytes([1]))
    request.isPaced = true
    #expect(try await transport.send(request).status == 200)
  }

  /// A task that is cancelled while its request is built sends nothing.
  @Test func cancelledBuildSendsNothing() async throws {
    let server = try await Server()
    let transport = try Transport(inFlight: 1)
    let (isBuilding, building) = AsyncStream.makeStream(of: Void.self)
    let task = Task {
      try await transport.send(RequestTraits()) {
        building.finish()
        while !Task.isCancelled { await Task.yield() }
        return server.request("/echo")
      }
    }
    for await _ in isBuilding {}
    task.cancel()
    let ended = await task.result
    let error = #expect(throws: TransferError.self) { try ended.get() }
    #expect(error?.kind == .cancelled && error?.requestMayHaveArrived == false)
    #expect(try await transport.send(server.request("/echo")).status == 200)
    #expect(try await server.stats().requests == 1)
  }
}

private actor Counter {
  private(set) var count = 0

  func next() -> Int {
    count += 1
    return count
  }
}
