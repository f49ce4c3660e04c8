import Jobs
import Testing

/// What single events do to a limit. What all of them come to is in ``FarSideTests``.
@Suite struct ConcurrencyLimitTests {
  /// Answers at a limit, while more wait to begin, each after `latency`, for a time.
  private static func answers(
    _ limit: inout ConcurrencyLimit, from start: Timestamp, for time: Duration, isWaiting: Bool = true,
    latency: (Int) -> Duration
  ) -> Timestamp {
    var now = start
    while now - start < time {
      limit.look(isWaiting: isWaiting, now: now)
      now = now + .microseconds(latency(limit.limit).microseconds / Int64(limit.limit))
      limit.answered(after: latency(limit.limit), now: now)
    }
    return now
  }

  @Test func itGrowsWhileThePaceGrowsWithIt() {
    var limit = ConcurrencyLimit(now: .start)
    #expect(limit.limit == 16)
    _ = Self.answers(&limit, from: .start, for: .seconds(10)) { _ in .milliseconds(50) }
    #expect(limit.limit == 256)
  }

  @Test func memoryBoundsIt() {
    var limit = ConcurrencyLimit(most: 40, now: .start)
    var now = Timestamp.start
    var highest = 0
    for _ in 1...100 {
      now = Self.answers(&limit, from: now, for: .milliseconds(100)) { _ in .milliseconds(50) }
      highest = max(highest, limit.limit)
    }
    #expect(highest == 40)
    #expect(ConcurrencyLimit(most: 5, now: .start).limit == 5)
  }

  @Test func withNothingThatWaitsItStays() {
    var limit = ConcurrencyLimit(now: .start)
    _ = Self.answers(&limit, from: .start, for: .seconds(60), isWaiting: false) { _ in .milliseconds(50) }
    #expect(limit.limit == 16)
  }

  /// Something else bounds what is in flight: more slots would stay free.
  @Test func slotsThatStayFreeMakeItNoHigher() {
    var limit = ConcurrencyLimit(now: .start)
    var now = Timestamp.start
    for _ in 1...20_000 {
      limit.look(isWaiting: true, now: now)
      now = now + .milliseconds(5)
      limit.answered(after: .milliseconds(50), now: now)
    }
    #expect(limit.limit <= 16)
  }

  @Test func itShrinksWhereAnswersSlowDownInProportion() {
    var limit = ConcurrencyLimit(now: .start)
    var now = Self.answers(&limit, from: .start, for: .seconds(10)) { _ in .milliseconds(50) }
    #expect(limit.limit == 256)
    // from now on it works on ten at once
    now = Self.answers(&limit, from: now, for: .seconds(600)) { .milliseconds(max(50, 5 * $0)) }
    #expect((9...15).contains(limit.limit), "\(limit.limit)")
    _ = Self.answers(&limit, from: now, for: .seconds(600)) { _ in .milliseconds(50) }
    #expect(limit.limit > 180, "and grows again: \(limit.limit)")
  }

  @Test func itNeverShrinksBelowAFewForThePaceAlone() {
    var limit = ConcurrencyLimit(now: .start)
    _ = Self.answers(&limit, from: .start, for: .seconds(600)) { .milliseconds($0) }
    #expect(limit.limit <= ConcurrencyLimit.leastByPace + 1)
    #expect(limit.limit >= ConcurrencyLimit.leastByPace)
  }

  @Test func theRefusalsOfOneMomentAreOne() {
    var limit = ConcurrencyLimit(now: .start)
    let now = Self.answers(&limit, from: .start, for: .seconds(60)) { _ in .milliseconds(50) }
    let before = limit.limit
    for _ in 1...100 { limit.refused(after: .milliseconds(20), now: now) }
    #expect(limit.limit == before * 7 / 8)
  }

  /// Alone in flight, the probe is refused too: the limit was not the cause.
  @Test func aProbeThatIsRefusedTakesTheCutBack() {
    var limit = ConcurrencyLimit(now: .start)
    let now = Self.answers(&limit, from: .start, for: .seconds(60)) { _ in .milliseconds(50) }
    let before = limit.limit
    limit.refused(after: .milliseconds(20), now: now)
    #expect(limit.limit < before)
    limit.refused(after: .milliseconds(20), now: now + .seconds(31))
    #expect(limit.limit == before)
  }

  /// Ten of sixteen went through: the far side counts those in flight.
  @Test func whatWentThroughBesideTheRefusedIsTheLimit() {
    var limit = ConcurrencyLimit(now: .start)
    for _ in 1...6 { limit.refused(after: .milliseconds(5), now: .start + .milliseconds(5)) }
    for _ in 1...10 { limit.answered(after: .milliseconds(50), now: .start + .milliseconds(50)) }
    limit.answered(after: .milliseconds(50), now: .start + .seconds(31))
    #expect(limit.limit == 10)
  }

  /// Answers at a limit of which each tenth is a failure, until the limit is at its highest.
  private static func risen() -> (ConcurrencyLimit, Timestamp) {
    var limit = ConcurrencyLimit(now: .start)
    var now = Timestamp.start
    for number in 1...100_000 {
      limit.look(isWaiting: true, now: now)
      now = now + .microseconds(200_000 / limit.limit)
      if number.isMultiple(of: 10) {
        limit.failed(after: .milliseconds(200), now: now)
      } else {
        limit.answered(after: .milliseconds(200), now: now)
      }
    }
    return (limit, now)
  }

  @Test func failuresBetweenAnswersDoNotLowerIt() {
    #expect(Self.risen().0.limit == 256)
  }

  @Test func asManyFailuresInARowAsCloseTheGateAreOneRefusal() {
    var (limit, now) = Self.risen()
    limit.answered(after: .milliseconds(200), now: now)
    for _ in 1..<Gate.longestRun { limit.failed(after: .milliseconds(200), now: now) }
    #expect(limit.limit == 256)
    limit.failed(after: .milliseconds(200), now: now)
    #expect(limit.limit == 224)
    for _ in 1...100 { limit.failed(after: .milliseconds(200), now: now) }
    #expect(limit.limit == 224, "what was in flight says the same")
    limit.failed(after: .milliseconds(200), now: now + .seconds(31))
    #expect(limit.limit == 256, "alone in flight, the probe fails too: the limit was not the cause")
  }
}
