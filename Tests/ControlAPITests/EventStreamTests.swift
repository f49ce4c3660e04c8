import Jobs
import Testing

@testable import ControlAPI

struct EventStreamTests {
  private func blocks(_ text: String, pieces: Int = 1) throws -> [EventStreamParser.Block] {
    var parser = EventStreamParser()
    let bytes = Array(text.utf8)
    return try stride(from: 0, to: bytes.count, by: pieces).flatMap {
      try parser.read(bytes[$0..<min($0 + pieces, bytes.count)])
    }
  }

  @Test(arguments: [1, 2, 1000])
  func parsesAnyChunking(pieces: Int) throws {
    let text = [
      ": a comment", "", "id: 7", "data: one", "data:two", "data", "", "event: reset", "data: {}", "", "id: 8", "",
      "id",
      "data: x", "retry: 10", "unknown: y", "", "data: never ended",
    ].joined(separator: "\n")
    #expect(
      try blocks(text, pieces: pieces) == [
        .init(lastEventID: "7", data: "one\ntwo\n"), .init(type: "reset", lastEventID: "7", data: "{}"),
        .init(lastEventID: "8"), .init(lastEventID: "", data: "x"),
      ])
  }

  @Test func skipsInvalidID() throws {
    #expect(try blocks("id: 1\ndata:  ü \nid: 2\0\n\n") == [.init(lastEventID: "1", data: " ü ")])
  }

  @Test func refusesOverlongEvent() {
    var parser = EventStreamParser(limit: 100)
    #expect(throws: EventStreamParser.TooLong.self) { try parser.read(Array(repeating: UInt8(ascii: "x"), count: 101)) }
  }

  @Test func discardsComments() throws {
    var parser = EventStreamParser(limit: 100)
    for _ in 0..<100 { #expect(try parser.read(Array(": a heartbeat\n".utf8)).isEmpty) }
  }

  @Test func headerOverridesQueryStart() throws {
    let now = Timestamp(seconds: 1_790_000_000)
    func start(_ id: String?, _ query: String) throws -> EventStart {
      try EventQuery(lastEventID: id, query: query, now: now).start
    }
    #expect(try start(nil, "") == .now)
    #expect(try start("17", "since=1h") == .after(17))
    #expect(try start(nil, "since=1h") == .since(Timestamp(seconds: 1_790_000_000 - 3600)))
    for id in ["", "-1", "+1", "x", "1, 2", "99999999999999999999"] {
      let error = #expect(throws: InvalidRequest.self) { try start(id, "") }
      #expect(error?.description.contains("Last-Event-ID") == true)
    }
    #expect(throws: InvalidRequest.self) { try start(nil, "until=1h") }
  }
}
