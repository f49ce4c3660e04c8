import Linux
import Synchronization
import Testing

@Suite struct TurnsTests {
  private final class Log: Sendable {
    private let steps = Mutex<[String]>([])
    var all: [String] { steps.withLock(\.self) }
    func add(_ step: String) { steps.withLock { $0.append(step) } }
  }

  @Test func sameKeyBodiesNeverOverlap() async throws {
    let turns = Turns<String>()
    let log = Log()
    try await withThrowingTaskGroup(of: Void.self) { group in
      for number in 0..<200 {
        group.addTask {
          try await turns.run("a") {
            log.add("begin \(number)")
            await Task.yield()
            log.add("end \(number)")
          }
        }
      }
      try await group.waitForAll()
    }
    let steps = log.all
    #expect(steps.count == 400)
    for index in stride(from: 0, to: steps.count, by: 2) {
      #expect(steps[index].dropFirst("begin ".count) == steps[index + 1].dropFirst("end ".count))
    }
  }

  @Test func otherKeyDoesNotWait() async throws {
    let turns = Turns<String>()
    let other = try await turns.run("a") { try await turns.run("b") { "b" } }
    #expect(other == "b")
  }

  /// The one behind it gets its turn all the same.
  @Test func cancelledTaskStopsWaiting() async throws {
    let turns = Turns<String>()
    let log = Log()
    let (gate, open) = AsyncStream.makeStream(of: Void.self)
    let (begun, begin) = AsyncStream.makeStream(of: Void.self)
    let first = Task {
      try await turns.run("a") {
        begin.finish()
        for await _ in gate {}
        log.add("first")
      }
    }
    for await _ in begun {}
    let second = Task { try await turns.run("a") { log.add("second") } }
    let third = Task { try await turns.run("a") { log.add("third") } }
    second.cancel()
    await #expect(throws: CancellationError.self) { try await second.value }
    #expect(log.all == [])
    open.finish()
    try await first.value
    try await third.value
    #expect(log.all == ["first", "third"])
  }

  @Test func throwingBodyEndsItsTurn() async throws {
    struct Fault: Error {}
    let turns = Turns<String>()
    await #expect(throws: Fault.self) { try await turns.run("a") { throw Fault() } }
    #expect(try await turns.run("a") { 1 } == 1)
  }
}
