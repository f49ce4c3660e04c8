import Jobs
import Linux
import SeededNumbers
import Testing

@testable import Delivery
@testable import Ledger

@Suite struct IntakeRoomTests {
  private static func routes(_ count: Int) -> [String: SpoolRoute] {
    Dictionary(
      uniqueKeysWithValues: (0..<count).map { ("\($0)", SpoolRoute(spool: "\($0)", storage: "s", backend: "b")) })
  }

  private static func counts(_ ahead: [SpoolRoute: Int]) -> LedgerCounts {
    var counts = LedgerCounts()
    counts.ahead = ahead
    return counts
  }

  /// Any number of spools, any of them full: each gets what is left of its own room, at once or as soon as its own jobs have gone on.
  @Test func roomIsEachSpoolsOwn() async throws {
    var numbers = SplitMix64(seed: 1)
    for _ in 1...50 {
      let (most, count) = (1 + numbers.index(below: 400), 1 + numbers.index(below: 12))
      let routes = Self.routes(count)
      let room = try IntakeRoom(admitAhead: most, routes: routes, on: .system)
      var ahead = routes.values.reduce(into: [SpoolRoute: Int]()) { $0[$1] = numbers.index(below: 2 * most) }
      room.update(Self.counts(ahead))
      for (spool, route) in routes {
        let isFull = ahead[route, default: 0] >= most
        #expect((room.obstacles(of: spool).ahead >= most) == isFull)
        async let given = room.wait(spool)
        if isFull {
          // The others' room does not matter, nor that of the same spool's jobs on another way.
          for other in routes.values where other != route { ahead[other] = 0 }
          ahead[SpoolRoute(spool: route.spool, storage: "before", backend: "b")] = 10 * most
          room.update(Self.counts(ahead))
          ahead[route] = most - 1
          room.update(Self.counts(ahead))
        }
        #expect(await given == min(256, most - ahead[route, default: 0]))
      }
    }
  }

  /// A reload gives a spool another way: jobs on the one before do not keep its files out.
  @Test func reloadedSpoolBeginsAnew() async throws {
    let before = SpoolRoute(spool: "0", storage: "down", backend: "b")
    let room = try IntakeRoom(admitAhead: 10, routes: ["0": before], on: .system)
    room.update(Self.counts([before: 10]))
    async let given = room.wait("0")
    room.configure(admitAhead: 10, routes: Self.routes(1))
    #expect(await given == 10)
  }

  @Test func closedRoomAdmitsNobody() async throws {
    let room = try IntakeRoom(admitAhead: 10, routes: Self.routes(2), on: .system)
    room.close(true)
    let stopped = Task { await room.wait("0") }
    stopped.cancel()
    #expect(await stopped.value == 0, "it waited until then")
    async let first = room.wait("0")
    async let second = room.wait("1")
    room.close(false)
    #expect(await first == 10)
    #expect(await second == 10)
  }
}
