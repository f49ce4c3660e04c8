import ChildProcesses
import Foundation
import HTTPTransfer
import Testing

@Suite(.slot) struct ConnectionTests {
  @Test func sendsManyRequestsConcurrently() async throws {
    let server = try await Server()
    let transport = try Transport()
    try await withThrowingTaskGroup(of: Int.self) { group in
      // The server answers none before 32 are there.
      for _ in 1...32 { group.addTask { try await transport.send(server.request("/gather/32")).status } }
      for _ in 33...100 {
        #expect(try await group.next() == 200)
        group.addTask { try await transport.send(server.request("/gather/32")).status }
      }
      for try await status in group { #expect(status == 200) }
    }
    let stats = try await server.stats()
    #expect(stats.requests == 100)
    #expect(stats.connections == 32)
  }

  @Test(arguments: [(2, nil), (8, 2)] as [(Int, Int?)])
  func requestsBeyondLimitWait(_ connections: Int, _ inFlight: Int?) async throws {
    let server = try await Server()
    let transport = try Transport(maxConnections: connections, inFlight: inFlight)
    try await withThrowingTaskGroup(of: Int.self) { group in
      for _ in 1...20 { group.addTask { try await transport.send(server.request("/gather/2")).status } }
      for try await status in group { #expect(status == 200) }
    }
    let stats = try await server.stats()
    #expect(stats.connections == 2 || inFlight != nil)
    #expect(stats.most == 2)
  }

  /// A socket that the server closed stays ready to be read. While another request keeps the thread looking at its sockets,
  /// that would end each of its waits at once.
  @Test func closedIdleConnectionDoesNotSpin() async throws {
    let server = try await Server()
    let transport = try Transport()
    async let cut = failure(of: server.request("/stall"), over: transport)
    try await server.waitUntil { $0.events.contains("stalling") }
    #expect(try await transport.send(server.request("/stale")).status == 200)
    let thread = try await withCheckedThrowingContinuation { continuation in
      transport.run {
        continuation.resume(
          with: Result { try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/thread-self") })
      }
    }
    var (spent, looks) = ("", 0)
    try await until("the transfer thread to rest") {
      // the time for which it has run, in nanoseconds (proc(5))
      let now = try String(contentsOfFile: "/proc/\(thread)/schedstat", encoding: .utf8)
      looks = now == spent ? looks + 1 : 0
      spent = now
      return looks == 20
    }
    transport.shutdown()
    #expect(try await cut.kind == .cancelled)
  }

  /// Sockets are watched by their numbers, and those come back: of connections that were closed, and of the sockets by which
  /// names are looked up.
  @Test func handlesReusedSocketNumbers() async throws {
    let server = try await Server()
    let transport = try Transport(maxConnections: 8)
    try await withThrowingTaskGroup(of: Int.self) { group in
      for number in 0..<400 {
        var request = server.request("/echo")
        let host = number.isMultiple(of: 2) ? "127.0.0.1" : "localhost"
        request.url = server.url(number.isMultiple(of: 3) ? "/stale" : "/echo", host: host)
        group.addTask { [request] in try await transport.send(request).status }
      }
      for try await status in group { #expect(status == 200) }
    }
  }

  /// The second of two answers to one request is no answer to the next one.
  @Test func lateAnswerIsDropped() async throws {
    let server = try await Server()
    let transport = try Transport()
    #expect(try await transport.send(server.request("/late")).status == 200)
    try await server.waitUntil { $0.events.contains("late") }
    #expect(try await transport.send(server.request("/echo")).status == 200)
  }

  @Test func unrepeatableRequestsUseFreshConnections() async throws {
    let server = try await Server()
    let transport = try Transport()
    var request = server.request("/echo", method: "POST", body: .bytes([7]))
    _ = try await transport.send(request)
    request.mayBeRepeated = false
    for _ in 1...3 { #expect(try await transport.send(request).status == 200) }
    #expect(try await server.stats().connections == 4)
  }

  @Test func unixSocketReplacesHost() async throws {
    let directory = try TemporaryFolder()
    let server = try await Server(socket: directory.file("far.sock"))
    let transport = try Transport()
    let echo = try Echo(await transport.send(server.request("/echo?x=1")))
    #expect(echo.path == "/echo?x=1")

    var request = server.request("/echo")
    request.unixSocket = directory.file("none.sock")
    let error = try await failure(of: request, over: transport)
    #expect(error.kind == .connect)
    #expect(error.words.contains("none.sock"))
  }

  @Test func transportEndsWithLastReference() async throws {
    let server = try await Server()
    weak var gone: Transport?
    do {
      let transport = try Transport()
      gone = transport
      #expect(try await transport.send(server.request("/echo")).status == 200)
    }
    try await until("the transport to be gone") { gone == nil }
  }

  @Test func shutdownCutsRequestsAndRefusesMore() async throws {
    let server = try await Server()
    let transport = try Transport()
    async let stalled = failure(of: server.request("/stall"), over: transport)
    try await server.waitUntil { $0.events.contains("stalling") }
    transport.shutdown()
    #expect(try await stalled.kind == .cancelled)
    try await server.waitUntil { $0.events.contains("closed") }
    let later = try await failure(of: server.request("/echo"), over: transport)
    #expect(later.kind == .cancelled)
    #expect(!later.requestMayHaveArrived)
  }

  @Test func poolSurvivesManyCancellations() async throws {
    let server = try await Server()
    let transport = try Transport(maxConnections: 8)
    for round in 1...3 {
      let stalled = (1...16).map { _ in Task { try await transport.send(server.request("/stall")) } }
      try await server.waitUntil { $0.events.count { $0 == "stalling" } >= round * 8 }
      // Those that wait their turn go first, or they would be sent when the others are cut.
      for task in stalled.reversed() { task.cancel() }
      for task in stalled {
        let result = await task.result
        #expect(throws: TransferError.self) { try result.get() }
      }
      for _ in 1...8 { #expect(try await transport.send(server.request("/echo")).status == 200) }
    }
  }
}
