import ChildProcesses
import HTTPTransfer
import Testing

@Suite(.slot) struct CancellationTests {
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
