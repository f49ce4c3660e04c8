import ChildProcesses
import HTTPTransfer
import Testing

@Suite(.slot) struct StreamTests {
  @Test(arguments: [0, 3_000_000]) func bodyArrivesInChunks(_ length: Int) async throws {
    let server = try await Server()
    let stream = try await Transport().stream(server.request("/bytes/\(length)"))
    #expect(stream.status == 200)
    #expect(stream.headers[first: "content-length"] == "\(length)")
    var count = 0
    while let chunk = try await stream.next() {
      #expect(!chunk.isEmpty)
      count += chunk.count
    }
    #expect(count == length)
    #expect(try await stream.next() == nil)
  }

  @Test func slowReaderAppliesBackpressure() async throws {
    let server = try await Server()
    let transport = try Transport()
    let stream = try await transport.stream(server.request("/endless-body"))
    // Nothing is read, so the count stands still once all buffers between here and there are full.
    var last = -1
    try await server.waitUntil { stats in
      defer { last = stats.sent ?? 0 }
      return last > 0 && stats.sent == last
    }
    let full = try #require(try await server.stats().sent)
    #expect(full < 64 << 20)
    #expect(try await transport.send(server.request("/echo")).status == 200)
    var taken = 0
    while let chunk = try await stream.next() {
      taken += chunk.count
      if taken > full + (1 << 20) { break }
    }
    #expect(taken > full)
  }

  @Test func droppingStreamCutsConnection() async throws {
    let server = try await Server()
    let transport = try Transport()
    do {
      let stream = try await transport.stream(server.request("/endless-body"))
      #expect(stream.status == 200)
    }
    try await server.waitUntil { $0.events.contains("cut /endless-body") }
    #expect(try await transport.send(server.request("/echo")).status == 200)
  }

  @Test func truncatedBodyThrows() async throws {
    let server = try await Server()
    let stream = try await Transport().stream(server.request("/cut/200"))
    var bytes: [UInt8] = []
    let error = try await failure { () async throws(TransferError) in
      while let chunk = try await stream.next() { bytes += chunk }
    }
    #expect(bytes == Array("abc".utf8))
    #expect(error.kind == .connectionLost)
  }

  @Test func cancellingReaderCutsStream() async throws {
    let server = try await Server()
    let transport = try Transport()
    let stream = try await transport.stream(server.request("/stall-body"))
    let reader = Task {
      var count = 0
      while let chunk = try await stream.next() { count += chunk.count }
      return count
    }
    reader.cancel()
    let result = await reader.result
    let error = try #require(throws: TransferError.self) { try result.get() }
    #expect(error.kind == .cancelled)
    #expect(try await transport.send(server.request("/echo")).status == 200)
  }
}
