import ChildProcesses
import Foundation
import Testing

@testable import Harness

/// The stream of events over the control socket, as public readers of Server-Sent Events get it.
@Suite(.slot, .needs(.publicReaders))
struct EventReaderTests {
  /// The events that a reader has printed: each with the stream's id at it and its data as a value.
  private func events(_ reader: ChildProcess) throws -> [(event: String, id: Int?, data: JSONValue)] {
    // The last line may be on its way.
    let lines = reader.outputText.split(separator: "\n", omittingEmptySubsequences: false).dropLast()
    return try lines.map { try JSONValue(parsing: String($0)) }.filter { $0.has("event") }.map {
      ($0.event.string ?? "", $0.id.string.flatMap { Int($0) }, try JSONValue(parsing: $0.data.string ?? ""))
    }
  }

  private func messages(_ reader: ChildProcess) throws -> [(id: Int, data: JSONValue)] {
    try events(reader).filter { $0.event == "message" }.map { (try #require($0.id), $0.data) }
  }

  @Test(arguments: ["httpx-sse", "sseclient"])
  func readerResumesAndSeesReset(library: String) async throws {
    try await withRig { rig in
      let socket = rig.setup.socket
      func read(after: String?, _ log: String) throws -> ChildProcess {
        try PublicReaders.events(library, socket: socket, after: after, in: rig.folder, log: log)
      }
      let first = try read(after: "0", "first")
      for number in 1...5 { try await rig.drop("\(number).pdf", until: "registered") }
      try await until("15 events") { try messages(first).count == 15 }
      let told = try messages(first)
      #expect(told.map(\.id) == Array(1...15) && told.last?.data.event == "registered")
      let ledger = try #require(try events(first).first)
      #expect(ledger.event == "ledger" && ledger.data.uuid.string?.isEmpty == false, "\(ledger)")

      // The daemon is restarted: the stream ends, and goes on from the last id.
      #expect(try await rig.daemon.stop() == .exit(0))
      #expect(try await first.end() == .exit(0))
      if library == "sseclient" {
        let last = try #require(first.outputText.split(separator: "\n").last)
        #expect(try JSONValue(parsing: String(last)).comments.int ?? 0 > 0, "a comment came and was no event")
      }
      try await rig.daemon.start()
      try await rig.drop("6.pdf", until: "registered")
      let second = try read(after: "15", "second")
      try await until("3 more events") { try messages(second).count == 3 }
      #expect(try messages(second).map(\.id) == [16, 17, 18])

      // An id that this ledger never had.
      let third = try read(after: "999999", "third")
      try await until("all events") { try messages(third).count == 18 }
      #expect(try events(third).prefix(2).map(\.event) == ["ledger", "reset"])
      #expect(try events(third)[1].data == [:])
    }
  }
}
