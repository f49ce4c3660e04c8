import ChildProcesses
import ControlAPI
import ControlTesting
import ControlServer
import Glibc
import HTTPTransfer
import Jobs
import NIOCore
import Seams
import SystemdLink
import Testing

@Suite(.slot, .bounded)
struct ConnectionTests {
  private static let request = ByteBuffer(string: "GET /v1/status HTTP/1.1\r\nHost: localhost\r\n\r\n")

  /// Waits until the server has room for a request.
  private func untilAnswered(_ client: ControlClient) async throws {
    try await until("an answer") { () -> StatusMessage? in
      do throws(ControlError) {
        return try await client.status()
      } catch {
        guard case .noDaemon = error else { throw error }
        return nil
      }
    }
  }

  @Test func cutsUnfinishedRequestWithoutBlocking() async throws {
    let limits = ControlServer.Limits(peerPatience: .milliseconds(400))
    try await withControlServer(InMemoryJobs().operations, limits: limits) { socket in
      let client = ControlClient(socket: socket, transport: try Transport())
      for text in [
        "", "GET /v1/sta", "POST /v1/jobs/1/cancel HTTP/1.1\r\nHost: localhost\r\nContent-Length: 10\r\n\r\n{",
      ] {
        let answer = try await RawConnection.with(socket) { input, output in
          // A busy machine may come to this only after the cut, which is then one of a request that has not begun.
          do {
            if !text.isEmpty { try await output.write(ByteBuffer(string: text)) }
          } catch ChannelError.ioOnClosedChannel {}
          // A busy machine may take longer for a whole request than this server's patience is.
          try await untilAnswered(client)
          return try await input.readToEnd()
        }
        #expect(answer == "")
      }
    }
  }

  /// A body in a form that is not HTTP's is its sender's fault, and no error of the daemon.
  @Test(arguments: [
    "Transfer-Encoding: xchunked\r\n\r\n{}", "Transfer-Encoding: chunked, gzip\r\n\r\n{}",
    "Transfer-Encoding: chunked\r\n\r\nnone\r\n{}\r\n0\r\n\r\n", "Transfer-Encoding: chunked\r\n\r\n2\r\n{}}",
    "Content-Length: two\r\n\r\n{}",
  ])
  func wronglyFramedBodyIsRefused(_ rest: String) async throws {
    let reports = Reports()
    try await withControlServer(InMemoryJobs().operations, report: reports.add) { socket in
      let answer = try await RawConnection.with(socket) { input, output in
        try await output.write(
          ByteBuffer(string: "POST /v1/pause HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n" + rest))
        return try await input.readToEnd()
      }
      #expect(answer.isEmpty || answer.hasPrefix("HTTP/1.1 400 "), "\(answer)")
    }
    #expect(reports.all == [])
  }

  /// A trickle; or one request after the other and no answer read: what is said to it piles up on both sides, and nothing moves any more.
  @Test(.bounded, arguments: [true, false]) func cutsPeerThatTricklesOrReadsNothing(isTrickle: Bool) async throws {
    let limits = ControlServer.Limits(peerPatience: .milliseconds(400))
    try await withControlServer(InMemoryJobs().operations, limits: limits) { socket in
      await #expect(throws: (any Error).self) {
        try await RawConnection.with(socket) { _, output in
          if isTrickle { try await output.write(ByteBuffer(string: "GET /v1/status HTTP/1.1\r\nX: ")) }
          while !Task.isCancelled {
            try await output.write(isTrickle ? ByteBuffer(string: "x") : Self.request)
            if isTrickle { try await Task.sleep(for: .milliseconds(50)) }
          }
        }
      }
    }
  }

  @Test func busyConnectionMakesNoWay() async throws {
    let begun = Gate()
    let mayEnd = Gate()
    var operations = InMemoryJobs().operations
    operations.logAnswer = { _ in
      begun.open()
      await mayEnd.pass()
      return LogPage(events: [], next: nil, last: 0)
    }
    try await withControlServer(operations, limits: .init(connections: 1)) { socket in
      try await RawConnection.with(socket) { _, output in
        try await output.write(ByteBuffer(string: "GET /v1/log HTTP/1.1\r\nHost: localhost\r\n\r\n"))
        await begun.pass()
        defer { mayEnd.open() }
        #expect(try await RawConnection.with(socket) { input, _ in try await input.readToEnd() } == "")
      }
      let client = ControlClient(socket: socket, transport: try Transport())
      try await untilAnswered(client)
    }
  }

  /// New ones, one with half a request and one that was answered: the one that has said nothing for the longest time is closed first.
  @Test func idleConnectionsYieldToNewCallers() async throws {
    try await withControlServer(InMemoryJobs().operations, limits: .init(connections: 3)) { socket in
      try await RawConnection.with(socket) { first, output in
        try await output.write(Self.request)
        _ = try await first.read(until: #""version":"\#(WaybillVersion.current)"}"#)
        try await RawConnection.with(socket) { second, output in
          try await output.write(ByteBuffer(string: "GET /v1/sta"))
          try await RawConnection.with(socket) { third, output in
            try await output.write(Self.request)
            _ = try await third.read(until: #""version":"\#(WaybillVersion.current)"}"#)
            for _ in 1...2 {
              try await RawConnection.with(socket) { input, output in
                try await output.write(Self.request)
                #expect(
                  try await input.read(until: #""version":"\#(WaybillVersion.current)"}"#).hasPrefix(
                    "HTTP/1.1 200 OK\r\n"))
                // it stays open beside the two youngest
                #expect(try await first.readToEnd() == "")
              }
            }
          }
        }
      }
    }
  }

  /// Streams of events and long polls are busy for as long as they like, so each kind is bounded.
  @Test func limitsStreamsAndLongPolls() async throws {
    let begun = Gate()
    let mayEnd = Gate()
    var operations = InMemoryJobs().operations
    let base = operations
    operations.changesAnswer = { query in
      if query.wait > 0 {
        begun.open()
        await mayEnd.pass()
      }
      return try await base.changes(query)
    }
    try await withControlServer(operations, limits: .init(eventStreams: 1)) { socket in
      try await RawConnection.with(socket) { _, output in
        let wait = ByteBuffer(
          string: "GET /v1/changes?after=0&wait=10 HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")
        try await output.write(wait)
        await begun.pass()
        defer { mayEnd.open() }
        let refused = try await RawConnection.with(socket) { input, output in
          try await output.write(wait)
          return try await input.readToEnd()
        }
        #expect(refused.hasPrefix("HTTP/1.1 503") && refused.contains("wait for changes"), "\(refused)")
        let client = ControlClient(socket: socket, transport: try Transport())
        #expect(try await client.status().version == WaybillVersion.current)
        #expect(try await ChangesMessage(bytes: client.get("/v1/changes")).last == 0)
        #expect(ControlServer.Limits().within(64).eventStreams == 16, "both kinds leave a half to others")
      }
    }
  }

  @Test func stopsDuringStart() async throws {
    for _ in 1...100 { try await withControlServer(InMemoryJobs().operations) { _ in } }
  }

  @Test func stoppingServerCompletesRunningRequest() async throws {
    let begun = Gate()
    let mayEnd = Gate()
    var operations = InMemoryJobs().operations
    let base = operations
    operations.statusAnswer = {
      begun.open()
      await mayEnd.pass()
      return try await base.status()
    }
    try await withThrowingTaskGroup(of: String.self) { group in
      try await withControlServer(operations) { socket in
        group.addTask {
          try await RawConnection.with(socket) { input, output in
            try await output.write(Self.request)
            return try await input.readToEnd()
          }
        }
        await begun.pass()
        mayEnd.open()
      }
      #expect(try await group.next()?.hasPrefix("HTTP/1.1 200 OK\r\n") == true)
    }
  }

  /// As of one who has connected, and is slower than the server's end.
  @Test func stoppingServerAnswersNewConnection() async throws {
    let limits = ControlServer.Limits(stopPatience: patience, firstRequestPatience: patience)
    try await withThrowingTaskGroup(of: String.self) { group in
      try await withControlServer(InMemoryJobs().operations, limits: limits) { socket in
        let isConnected = Gate()
        group.addTask {
          try await RawConnection.with(socket) { input, output in
            isConnected.open()
            try await until("the server to listen no longer") { await !Self.listens(at: socket) }
            try await output.write(Self.request)
            return try await input.readToEnd()
          }
        }
        await isConnected.pass()
        // what connected before was accepted before
        _ = try await RawConnection.with(socket) { input, output in
          try await output.write(Self.request)
          return try await input.read(until: "200 OK")
        }
      }
      #expect(try await group.next()?.hasPrefix("HTTP/1.1 200 OK\r\n") == true)
    }
  }

  private static func listens(at socket: String) async -> Bool {
    do {
      try await RawConnection.with(socket) { _, _ in }
      return true
    } catch {
      return false
    }
  }

  @Test func refusesNonListeningDescriptor() async throws {
    let server = ControlServer(
      descriptor: socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0), operations: InMemoryJobs().operations,
      userName: { "\($0)" }, now: { Timestamp(seconds: 0) }, report: { _ in })
    await #expect(throws: (any Error).self) { try await server.run() }
  }

  /// A socket that is not there, and one where nobody accepts.
  @Test(arguments: [false, true]) func unansweredSocketMeansNoDaemon(isThere: Bool) async throws {
    let folder = try TemporaryFolder()
    let listening = isThere ? try UnixSocket.listen(path: folder.file("deaf.sock")) : nil
    defer { if let listening { close(listening.descriptor) } }
    let client = ControlClient(
      socket: folder.file("deaf.sock"), transport: try Transport(), patience: .milliseconds(300))
    let error = await #expect(throws: ControlError.self) { try await client.status() }
    guard case .noDaemon = error else {
      Issue.record("\(String(describing: error))")
      return
    }
    #expect(error?.description.contains("systemctl status waybill") == true)
  }
}
