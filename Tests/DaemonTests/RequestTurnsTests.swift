import ChildProcesses
import Jobs
import Synchronization
import Testing

@testable import Daemon

/// Whose request may be in flight.
@Suite struct RequestTurnsTests {
  /// Takes turns at destinations by their names, and lets the test give them back.
  private final class Takers: Sendable {
    let turns: RequestTurns
    let inFlight = Mutex<[String]>([])
    let refused = Mutex<[String]>([])

    init(_ count: Int, _ destinations: [String] = ["a"]) {
      turns = RequestTurns(Self.shares(count, destinations))
    }

    static func shares(_ count: Int, _ destinations: [String] = ["a"]) -> SlotShares {
      SlotShares(slots: count, destinations: destinations, guarantees: destinations.count > 2)
    }

    /// A name is that of a destination, whatever follows on its first letter.
    func take(_ name: String) -> Task<Void, Never> {
      Task {
        if await turns.take(at: String(name.prefix(1))) {
          inFlight.withLock { $0.append(name) }
        } else {
          refused.withLock { $0.append(name) }
        }
      }
    }

    func expect(_ names: [String]) async throws {
      try await until("\(names)") { inFlight.withLock { $0 } == names }
    }
  }

  @Test func whoCameFirstIsNext() async throws {
    let takers = Takers(2)
    for name in ["a1", "a2"] { await takers.take(name).value }
    var waiting: [Task<Void, Never>] = []
    for (index, name) in ["a3", "a4", "a5"].enumerated() {
      waiting.append(takers.take(name))
      try await until("\(name) to wait") { takers.turns.waiting == index + 1 }
    }
    #expect(takers.inFlight.withLock { $0 } == ["a1", "a2"])
    takers.turns.giveBack(at: "a")
    try await takers.expect(["a1", "a2", "a3"])
    waiting[1].cancel()
    await waiting[1].value
    #expect(takers.refused.withLock { $0 } == ["a4"])
    takers.turns.giveBack(at: "a")
    try await takers.expect(["a1", "a2", "a3", "a5"])
    #expect(takers.turns.waiting == 0)
  }

  @Test func whoIsCancelledBeforeHasNone() async throws {
    let takers = Takers(0)
    let task = takers.take("a")
    task.cancel()
    await task.value
    #expect(takers.refused.withLock { $0 } == ["a"] && takers.turns.waiting == 0)
  }

  @Test func moreAndFewerMayBeInFlight() async throws {
    let takers = Takers(1)
    await takers.take("a1").value
    _ = takers.take("a2")
    try await until("b to wait") { takers.turns.waiting == 1 }
    takers.turns.share(Takers.shares(2))
    try await takers.expect(["a1", "a2"])
    takers.turns.share(Takers.shares(1))
    _ = takers.take("a3")
    try await until("c to wait") { takers.turns.waiting == 1 }
    takers.turns.giveBack(at: "a")
    #expect(takers.turns.waiting == 1, "one that is in flight is one too many")
    takers.turns.giveBack(at: "a")
    try await takers.expect(["a1", "a2", "a3"])
  }

  @Test func whoIsSlowLeavesTurnsToTheOthers() async throws {
    let takers = Takers(8, ["a", "b", "c", "d"])
    // all but the one that is kept for each of the other three
    for number in 1...5 { await takers.take("a\(number)").value }
    _ = takers.take("a6")
    try await until("the sixth to wait") { takers.turns.waiting == 1 }
    await takers.take("b1").value
    await takers.take("c1").value
    await takers.take("d1").value
    #expect(takers.turns.waiting == 1)
    takers.turns.giveBack(at: "b")
    #expect(takers.turns.waiting == 1, "that one is kept for b")
    takers.turns.giveBack(at: "a")
    try await until("its turn") { takers.inFlight.withLock { $0.last } == "a6" }
  }
}
