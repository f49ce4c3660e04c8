import ChildProcesses
import ControlAPI
import ControlTesting
import ControlServer
import HTTPTransfer
import Jobs
import MessageLiterals
import Messages
import NIOCore
import Seams
import Testing

@Suite(.slot, .bounded)
struct EventTests {
  private static let request = ByteBuffer(string: "GET /v1/events HTTP/1.1\r\nHost: localhost\r\n\r\n")

  private func sequences(_ text: String) -> [Int64] {
    text.split(separator: "\n\n").compactMap { block in
      guard block.contains("\ndata: {\"at\"") else { return nil }
      return block.split(separator: "\n").first { $0.hasPrefix("id: ") }.flatMap { Int64($0.dropFirst(4)) }
    }
  }

  private func opened(_ client: ControlClient) async throws -> EventFeed {
    while true {
      do throws(ControlError) {
        return try await client.events()
      } catch {
        guard case .problem(let problem) = error, problem.status == 503 else { throw error }
      }
      try await Task.sleep(for: .milliseconds(5))
    }
  }

  @Test func curlStreamEndsCleanlyOnStop() async throws {
    let jobs = InMemoryJobs()
    async let result = withControlServer(jobs.operations) { socket in
      let curl = Task {
        try await Command.run([
          "curl", "-q", "-sSN", "-i", "--max-time", "60", "--unix-socket", socket, "http://localhost/v1/events",
        ])
      }
      try await until("one reader") { await jobs.readers == 1 }
      try await jobs.add(FileName("a\nb.pdf"), .begin, .asks)
      await jobs.tell(.gateClosed, of: .destination(.storage("main")), "storage.main is closed", reason: "network")
      // The server stops while curl reads.
      return curl
    }
    let ended = try await result.value
    #expect(ended.status == 0, "\(ended)")
    let halves = ended.output.split(separator: "\r\n\r\n", maxSplits: 1)
    try #require(halves.count == 2)
    let head = halves[0].lowercased()
    #expect(head.hasPrefix("http/1.1 200 ok") && head.contains("content-type: text/event-stream"))
    #expect(head.contains("cache-control: no-store"))
    #expect(halves[1].hasPrefix(": the daemon is here\n\nid: 0\n\nid: 1\ndata: {\"at\":\"2026-11-21T"))
    #expect(sequences(String(halves[1])) == [1, 2, 3])
    #expect(halves[1].contains(#""event":"question""#) && halves[1].contains(#""by":null"#))
    #expect(
      halves[1].contains(#""job":null,"message":"storage.main is closed","reason":"network""#))
    #expect(!halves[1].contains("dropped"))
  }

  @Test func laggingReaderGetsResetThenRest() async throws {
    let jobs = InMemoryJobs(eventsKept: 5)
    for number in 1...20 { try await jobs.add(FileName("\(number)")) }
    try await withControlServer(jobs.operations) { socket in
      let client = ControlClient(socket: socket, transport: try Transport())
      for start in [3, 99] as [Int64] {
        var signals = try await client.events(from: .after(start)).makeAsyncIterator()
        #expect(try await signals.next() == .reset)
        #expect(try await signals.next() == .position(15))
        for sequence in 16...20 as ClosedRange<Int64> {
          guard case .event(let event)? = try await signals.next() else { Issue.record("no event"); return }
          #expect(event.sequence == sequence && event.job?.name == "\(sequence)")
        }
      }
      var kept = try await client.events(from: .after(18)).makeAsyncIterator()
      #expect(try await kept.next() == .position(18))
    }
  }

  @Test func heartbeatKeepsStreamOpen() async throws {
    let limits = ControlServer.Limits(peerPatience: .seconds(1), heartbeat: .milliseconds(100))
    try await withControlServer(InMemoryJobs().operations, limits: limits) { socket in
      try await RawConnection.with(socket) { input, output in
        try await output.write(Self.request)
        // Far more of them than fit into the time that a request may take. Each has more than a byte for each of the five seconds over
        // which libcurl counts a reader's speed.
        let comment = ": the daemon is here\n\n"
        for _ in 1...20 { #expect(try await input.read(until: comment).contains(comment)) }
      }
    }
  }

  @Test func cutsStuckReaderOnly() async throws {
    let jobs = InMemoryJobs(eventsKept: 10, eventsWaiting: 50)
    let limits = ControlServer.Limits(peerPatience: .seconds(2), eventStreams: 2)
    try await withControlServer(jobs.operations, limits: limits) { socket in
      let client = ControlClient(socket: socket, transport: try Transport())
      try await RawConnection.with(socket) { input, output in
        try await output.write(Self.request)
        _ = try await input.read(until: "id: 0\n\n")
        // From here on nothing is read there, so the sockets fill up, then the bounded buffer.
        var others = try await client.events().makeAsyncIterator()
        #expect(try await others.next() == .position(0))
        var number: Int64 = 0
        repeat {
          number += 1
          try await jobs.add(FileName(String(repeating: "x", count: 100_000)))
          guard case .event(let event)? = try await others.next() else { Issue.record("no event"); return }
          try #require(event.sequence == number)
        } while await jobs.readers == 2 && number < 1000
        #expect(await jobs.readers == 1, "the reader is let go after \(number) events")
        // It still takes nothing, and its connection is cut.
        _ = try await opened(client)
      }
    }
  }

  /// Operations with a subscription of some events, and then its end.
  private func operations(events: Int64, throwing error: (any Error)? = nil) -> ReplacedOperations {
    var operations = InMemoryJobs().operations
    operations.eventsAnswer = { _ in
      let (stream, continuation) = AsyncThrowingStream.makeStream(of: EventMessage.self)
      var occurrence = Occurrence(.gateClosed, of: .target(.all), at: Timestamp(seconds: 1), message: "closed")
      for sequence in 1...events {
        occurrence.sequence = sequence
        continuation.yield(EventMessage(occurrence))
      }
      continuation.finish(throwing: error)
      return EventSubscription(isReset: false, events: stream)
    }
    return operations
  }

  /// As one whose buffer has overflowed.
  @Test func reportsSlowReader() async throws {
    try await withControlServer(operations(events: 3)) { socket in
      let text = try await RawConnection.with(socket) { input, output in
        try await output.write(Self.request)
        return try await input.readToEnd()
      }
      #expect(
        text.contains("id: 3\n") && text.contains("\n\n\r\n1c\r\n: dropped: reader too slow\n\n\r\n0\r\n"), "\(text)")
      let client = ControlClient(socket: socket, transport: try Transport())
      var count = 0
      for try await _ in try await client.events() { count += 1 }
      #expect(count == 3)
    }
  }

  /// A reader whose events cannot be read is not called too slow.
  @Test func reportsUnreadableEvents() async throws {
    struct Damaged: Error, CustomStringConvertible { let description = "the ledger is damaged" }
    try await withControlServer(operations(events: 1, throwing: Damaged())) { socket in
      let text = try await RawConnection.with(socket) { input, output in
        try await output.write(Self.request)
        return try await input.readToEnd()
      }
      #expect(!text.contains("too slow") && text.contains("id: 1\n") && text.contains("event: error\n"), "\(text)")
      let client = ControlClient(socket: socket, transport: try Transport())
      var feed = try await client.events().makeAsyncIterator()
      guard case .event? = try await feed.next() else { Issue.record("the event before it is lost"); return }
      let error = await #expect(throws: ControlError.self) { try await feed.next() }
      guard case .problem(let problem)? = error else { Issue.record("\(String(describing: error))"); return }
      #expect(problem.status == 500 && problem.detail?.text == "the events cannot be read: the ledger is damaged")
    }
  }

  @Test func limitsStreamsBelowConnections() async throws {
    let jobs = InMemoryJobs()
    try await withControlServer(jobs.operations, limits: .init(connections: 4, eventStreams: 2)) { socket in
      let client = ControlClient(socket: socket, transport: try Transport())
      let first = try await client.events()
      do {
        let second = try await client.events()
        let error = await #expect(throws: ControlError.self) { try await client.events() }
        guard case .problem(let problem)? = error else { Issue.record("\(String(describing: error))"); return }
        #expect(problem.status == 503 && problem.detail?.text.contains("readers of events") == true)
        #expect(try await client.status().version == WaybillVersion.current)
        withExtendedLifetime(second) {}
      }
      // The second has gone, and its place is free again without anything having happened.
      try await until("one reader") { await jobs.readers == 1 }
      let third = try await opened(client)
      withExtendedLifetime((first, third)) {}
    }
  }

  @Test func stopsAtOnceDespiteStuckReader() async throws {
    let jobs = InMemoryJobs()
    let filled = Gate()
    let ended = Gate()
    try await withThrowingTaskGroup(of: Void.self) { group in
      // Neither patience would let the server end within the test's time.
      let limits = ControlServer.Limits(peerPatience: .seconds(3600), stopPatience: .seconds(3600))
      try await withControlServer(jobs.operations, limits: limits) { socket in
        group.addTask {
          try await RawConnection.with(socket) { input, output in
            try await output.write(Self.request)
            _ = try await input.read(until: "id: 0\n\n")
            for _ in 1...50 { try await jobs.add(FileName(String(repeating: "x", count: 100_000))) }
            filled.open()
            // It takes some more while the server is being asked to end, and then nothing.
            _ = try await input.read(until: "\nid: 2\n")
            await ended.pass()
          }
        }
        await filled.pass()
      }
      ended.open()
      try await group.waitForAll()
    }
  }

  /// The answer to HEAD has no body, and opens no stream.
  @Test(arguments: [("status", "content-length: "), ("events", "text/event-stream")])
  func headHasNoBody(path: String, header: String) async throws {
    let jobs = InMemoryJobs()
    try await withControlServer(jobs.operations) { socket in
      let head = try await Command.run([
        "curl", "-q", "-sSI", "--max-time", "20", "--unix-socket", socket, "http://localhost/v1/" + path,
      ])
      #expect(head.status == 0 && head.output.contains(" 200 ") && head.output.lowercased().contains(header))
      #expect(await jobs.readers == 0)
    }
  }
}
