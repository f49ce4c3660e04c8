import ChildProcesses
import Foundation
import Testing

@testable import HTTPTransfer

@Suite(.aside) struct SendPaceTests {
  private func may(_ pace: inout SendPace, _ now: Int64) -> Bool { pace.advance(now: now) }

  /// Takes portions as soon as they may be sent, from a time on, and says how much went out until another.
  private func sent(_ pace: inout SendPace, from start: Int64, until end: Int64) -> Int64 {
    var (time, sent) = (start, Int64(0))
    while time < end {
      if pace.advance(now: time) {
        pace.spend(pace.portion)
        sent += Int64(pace.portion)
      } else {
        time = max(time + 1, pace.next)
      }
    }
    return sent
  }

  @Test(arguments: [16 << 10, 100_000, 20 << 20, 10 << 30, 1 << 40] as [Int64])
  func longTermAverageMatchesRate(_ rate: Int64) {
    var pace = SendPace(rate: rate, now: 5)
    // a tenth of a second's may have been kept, and a portion more may be under way
    let limits = (rate * 3 - Int64(pace.portion))...(rate * 3 + rate / 10 + Int64(pace.portion))
    #expect(limits.contains(sent(&pace, from: 5, until: 3_005)))
  }

  @Test func unusedAllowanceExpires() {
    var pace = SendPace(rate: 1 << 20, now: 0)
    _ = pace.advance(now: 3_600_000)
    let limit = Int64(1 << 20) / 10 + Int64(pace.portion)
    #expect(sent(&pace, from: 3_600_000, until: 3_600_001) <= limit)
  }

  @Test func burstDelaysNextSend() {
    var pace = SendPace(rate: 1 << 20, now: 0)
    #expect(may(&pace, 0) == true)
    pace.spend(10 << 20)
    #expect(may(&pace, 9_000) == false)
    #expect((9_800...10_001).contains(pace.next))
    #expect(may(&pace, pace.next - 2) == false)
    #expect(may(&pace, pace.next) == true)
  }
}

@Suite(.slot) struct PacedTransferTests {
  private func paced(_ server: Server, _ body: HTTPRequest.Body, path: String = "/echo") -> HTTPRequest {
    var request = server.request(path, method: "PUT", body: body)
    request.isPaced = true
    return request
  }

  @Test func pacedBodiesArriveIntact() async throws {
    let server = try await Server()
    let file = try SampleFile(bytes: 1 << 20)
    let hash = try await file.sha256(offset: 0, length: 1 << 20)
    let body = try file.body()
    // slow enough that each is paused many times
    let transport = try Transport(sendLimit: 8 << 20)
    try await withThrowingTaskGroup(of: (Int, String).self) { group in
      for index in 0..<8 {
        let request =
          index % 2 == 0
          ? paced(server, .file(body, offset: 0, length: 1 << 20))
          : paced(server, .bytes(Array(repeating: UInt8(index), count: 200_000)))
        group.addTask {
          let echo = try Echo(await transport.send(request))
          return (index, "\(echo.length) \(echo.sha256)")
        }
      }
      for try await (index, sent) in group {
        if index % 2 == 0 { #expect(sent == "\(1 << 20) \(hash)") } else { #expect(sent.hasPrefix("200000 ")) }
      }
    }
  }

  /// The first takes the allowance of an hour; what is not paced goes on, and those in line can be cut.
  @Test func queuedRequestsCancelWhileOthersProceed() async throws {
    let server = try await Server()
    let file = try SampleFile(bytes: 1 << 20)
    let transport = try Transport(sendLimit: 64)
    let first = paced(server, .bytes(Array(repeating: 1, count: 256 << 10)))
    #expect(try await transport.send(first).status == 200)
    let inLine = [
      paced(server, .bytes([1])), paced(server, .file(try file.body(), offset: 0, length: 1 << 20)),
    ]
    for request in inLine {
      let waiting = Task { () async throws(TransferError) in try await transport.send(request) }
      #expect(try await transport.send(server.request("/echo")).status == 200)
      waiting.cancel()
      let ended = await waiting.result
      #expect(throws: TransferError.self) { try ended.get() }
    }
    #expect(try await transport.send(server.request("/echo")).status == 200)
  }

  @Test func newLimitAppliesToQueuedRequests() async throws {
    let server = try await Server()
    let file = try SampleFile(bytes: 1 << 20)
    let transport = try Transport(sendLimit: 64)
    _ = try await transport.send(paced(server, .bytes(Array(repeating: 1, count: 256 << 10))))
    let inLine = [paced(server, .bytes([1])), paced(server, .file(try file.body(), offset: 0, length: 1 << 20))]
    try await withThrowingTaskGroup(of: Int.self) { group in
      for request in inLine { group.addTask { try await transport.send(request).status } }
      #expect(try await transport.send(server.request("/echo")).status == 200)
      await transport.limit(inFlight: 4, sendLimit: nil)
      for try await status in group { #expect(status == 200) }
    }
  }

  @Test func raisedInFlightLimitAppliesDirectly() async throws {
    let server = try await Server()
    let transport = try Transport(inFlight: 1)
    try await withThrowingTaskGroup(of: Int.self) { group in
      // neither is answered before both are there
      for _ in 1...2 { group.addTask { try await transport.send(server.request("/gather/2")).status } }
      try await server.waitUntil { $0.requests == 1 }
      await transport.limit(inFlight: 2, sendLimit: nil)
      for try await status in group { #expect(status == 200) }
    }
  }
}
