import Jobs
import Synchronization
import Testing

@testable import Delivery

/// A wall clock that somebody sets while the daemon commits, on clocks of the test's own.
@Suite struct ClockJumpsTests {
  private final class Clocks: Sendable {
    private let times = Mutex((wall: Timestamp(year: 2026, month: 11, day: 21), steady: Timestamp(seconds: 0)))
    let told = Atomic(0)

    var clock: Clock {
      Clock(now: { self.times.withLock(\.wall) }, steady: { self.times.withLock(\.steady) })
    }

    func pass(_ time: Duration) {
      times.withLock { $0 = ($0.wall + time, $0.steady + time) }
    }

    func set(by difference: Duration) {
      times.withLock { $0.wall = $0.wall + difference }
    }
  }

  private let clocks = Clocks()
  private let jumps: ClockJumps

  init() {
    let clocks = clocks
    jumps = ClockJumps(clock: clocks.clock)
    jumps.onJump { clocks.told.wrappingAdd(1, ordering: .relaxed) }
  }

  @Test(arguments: [-30, 30] as [Int64])
  func changeAndCorrectionAreJumps(days: Int64) {
    let change = Duration.seconds(days * 86_400)
    clocks.pass(.seconds(100))
    clocks.set(by: change)
    jumps.look()
    #expect(jumps.last == ClockJumps.Jump(by: change, at: Timestamp(seconds: 100)))
    clocks.pass(.seconds(60))
    jumps.look()
    #expect(jumps.last?.at == Timestamp(seconds: 100))
    #expect(clocks.told.load(ordering: .relaxed) == 1)
    clocks.set(by: .zero - change)
    jumps.look()
    #expect(jumps.last == ClockJumps.Jump(by: .zero - change, at: Timestamp(seconds: 160)))
    #expect(clocks.told.load(ordering: .relaxed) == 2)
  }

  @Test func timeAndSmallChangesAreNoJumps() {
    clocks.pass(.seconds(30 * 86_400))
    jumps.look()
    for change in [3600, -3600, -3600] as [Int64] {
      clocks.set(by: .seconds(change))
      jumps.look()
    }
    #expect(jumps.last == nil)
    #expect(clocks.told.load(ordering: .relaxed) == 0)
  }
}
