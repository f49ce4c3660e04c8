import ChildProcesses
import Synchronization
import Testing

@testable import HTTPTransfer

/// Requests of tasks that run on the transfer thread: they are sent there in place, and end like all others.
@Suite(.slot) struct InPlaceTests {
  private struct NoKey: Error {}

  private static func send(
    over transport: Transport, _ traits: RequestTraits = RequestTraits(), isOnThread: Bool = true,
    _ build: @escaping @Sendable () async throws -> HTTPRequest
  ) async throws -> HTTPResponse {
    guard isOnThread else { return try await transport.send(traits, built: build) }
    return try await withTaskExecutorPreference(transport.tasks) {
      #expect(transport.isOnThread)
      defer { #expect(transport.isOnThread) }
      return try await transport.send(traits, built: build)
    }
  }

  @Test func answersComeToAllBeyondThePlaces() async throws {
    let server = try await Server()
    let transport = try Transport(maxConnections: 3)
    try await withThrowingTaskGroup { group in
      for number in 0..<40 {
        group.addTask {
          let response = try await Self.send(over: transport) {
            await Task.yield()
            return server.request("/echo", headers: [HTTPHeader("X-Number", String(number))])
          }
          return try Echo(response).headers.contains(["X-Number", String(number)])
        }
      }
      for try await isOwn in group { #expect(isOwn) }
    }
    #expect(try await transport.send(server.request("/echo")).status == 200)
  }

  @Test(arguments: [true, false]) func cancellingCutsTheTransfer(isOnThread: Bool) async throws {
    let server = try await Server()
    let transport = try Transport()
    let stalled = Task {
      try await Self.send(over: transport, isOnThread: isOnThread) {
        server.request("/stall", method: "PUT", body: .bytes([1]))
      }
    }
    try await server.waitUntil { $0.events.contains("stalling") }
    stalled.cancel()
    let result = await stalled.result
    let error = try #require(throws: TransferError.self) { try result.get() }
    #expect(error.kind == .cancelled)
    #expect(error.requestMayHaveArrived)
    try await server.waitUntil { $0.events.contains("closed") }
    #expect(try await Self.send(over: transport, isOnThread: isOnThread) { server.request("/echo") }.status == 200)
  }

  /// A signature does not grow old in the line: the request is built once the one before it has ended. One that is cut in the line
  /// is not built.
  @Test(arguments: [true, false]) func buildsRequestAtItsTurn(isOnThread: Bool) async throws {
    let server = try await Server()
    let transport = try Transport(inFlight: 1)
    let built = Atomic(0)
    let build: @Sendable () async throws -> HTTPRequest = {
      built.add(1, ordering: .relaxed)
      return server.request("/echo")
    }
    let first = Task { try await transport.send(server.request("/gather/2")) }
    try await server.waitUntil { $0.requests == 1 }
    let second = Task { try await Self.send(over: transport, isOnThread: isOnThread, build) }
    // A third one that is cut shows that the line has been looked at meanwhile.
    let third = Task { try await Self.send(over: transport, isOnThread: isOnThread, build) }
    third.cancel()
    let cut = await third.result
    let error = try #require(throws: TransferError.self) { try cut.get() }
    #expect(error.kind == .cancelled && !error.requestMayHaveArrived)
    let early = built.load(ordering: .relaxed)
    #expect(early == 0)
    #expect(try await Transport().send(server.request("/gather/2")).status == 200)
    #expect(try await first.value.status == 200)
    #expect(try await second.value.status == 200)
    let all = built.load(ordering: .relaxed)
    #expect(all == 1)
  }

  @Test(arguments: [true, false]) func taskThatIsCancelledWhileItBuildsSendsNothing(isOnThread: Bool) async throws {
    let server = try await Server()
    let transport = try Transport(inFlight: 1)
    let task = Task {
      try await Self.send(over: transport, isOnThread: isOnThread) {
        unsafe withUnsafeCurrentTask { unsafe $0?.cancel() }
        return server.request("/echo")
      }
    }
    let result = await task.result
    let error = try #require(throws: TransferError.self) { try result.get() }
    #expect(error.kind == .cancelled && !error.requestMayHaveArrived)
    #expect(try await transport.send(server.request("/echo")).status == 200)
    #expect(try await server.stats().requests == 1)
  }

  /// With one place in flight, each that is not given back would be the end; so would what they were allowed to send.
  @Test(arguments: [true, false]) func requestsThatCannotBeSentGiveTheirPlaceBack(isOnThread: Bool) async throws {
    let server = try await Server()
    let transport = try Transport(inFlight: 1, sendLimit: 1 << 20)
    let unsafeHeader = HTTPHeader("X-A", "12345678\r\nX-B: 1")
    for _ in 1...3 {
      await #expect(throws: NoKey.self) {
        try await Self.send(over: transport, RequestTraits(pacedBytes: 1 << 30), isOnThread: isOnThread) {
          throw NoKey()
        }
      }
      let error = await #expect(throws: TransferError.self) {
        try await Self.send(over: transport, isOnThread: isOnThread) {
          server.request("/echo", headers: [unsafeHeader])
        }
      }
      #expect(error?.kind == .badRequest)
    }
    var request = server.request("/echo", method: "PUT", body: .bytes([1]))
    request.isPaced = true
    #expect(try await transport.send(request).status == 200)
  }

  @Test func shutdownEndsThem() async throws {
    let server = try await Server()
    let transport = try Transport(maxConnections: 1)
    let tasks = (0..<3).map { _ in Task { try await Self.send(over: transport) { server.request("/stall") } } }
    try await server.waitUntil { $0.events.contains("stalling") }
    transport.shutdown()
    for task in tasks {
      let result = await task.result
      let error = try #require(throws: TransferError.self) { try result.get() }
      #expect(error.kind == .cancelled || error.kind == .other)
    }
    await #expect(throws: TransferError.self) { try await Self.send(over: transport) { server.request("/echo") } }
  }

  @Test func requestsOfOneShapeShareItsObject() {
    let shape = RequestShape(method: "PUT", stallTimeout: .seconds(60))
    var request = HTTPRequest(shape, url: "http://127.0.0.1:1/", body: .bytes([1]))
    #expect(request.shape === shape && request.method == "PUT" && request.stallTimeout == .seconds(60))
    let options = HandleOptions(request)
    request.body = .bytes([2])
    request.headers = [HTTPHeader("X-A", "1")]
    #expect(HandleOptions(request) == options)
    let like = RequestShape(method: "PUT", stallTimeout: .seconds(60))
    #expect(HandleOptions(HTTPRequest(like, url: "http://127.0.0.1:1/", body: .bytes([1]))) == options)
    #expect(HandleOptions(HTTPRequest(like, url: "http://127.0.0.1:1/")) != options)
    request.caFile = "/ca.pem"
    #expect(request.shape !== shape && shape.options.caFile == nil)
    #expect(HandleOptions(request) != options)
  }

  @Test func eachByteOfAValueIsChecked() {
    for byte in UInt8(0)..<0x80 {
      let text = "v" + String(decoding: [byte], as: UTF8.self) + "v"
      let request = HTTPRequest(method: "GET", url: "http://h/ü", headers: [HTTPHeader("X-A", "ü€\u{FF}" + text)])
      #expect(Self.isSendable(request) == (byte == 0x09 || byte > 0x1F && byte != 0x7F), "\(byte)")
      #expect(
        Self.isSendable(HTTPRequest(method: "GET", url: "http://h/" + text)) == (byte > 0x20 && byte != 0x7F), "\(byte)"
      )
    }
  }

  private static func isSendable(_ request: HTTPRequest) -> Bool {
    do throws(TransferError) {
      try request.check()
      return true
    } catch {
      return false
    }
  }
}
