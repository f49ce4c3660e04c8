import ChildProcesses
import Jobs
import Testing

/// What single events do to a limit. What all of them come to is in ``ServerTests``.
@Suite(.aside) struct ConcurrencyLimitTests {
  /// Answers at a limit, while more wait to begin, each after `latency`, for a time.
  private static func answers(
    _ limit: inout ConcurrencyLimit, from start: Timestamp, for time: Duration, isWaiting: Bool = true,
    latency: (Int) -> Duration
  ) -> Timestamp {
    var now = start
    while now - start < time {
      limit.committed(isWaiting: isWaiting, inFlight: limit.limit, now: now)
      now = now + .microseconds(latency(limit.limit).microseconds / Int64(limit.limit))
      limit.ended(.init(.answered, after: latency(limit.limit)), now: now)
    }
    return now
  }

  @Test func memoryCapsLimit() {
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

  @Test func limitStaysWithoutWaitingJobs() {
    var limit = ConcurrencyLimit(now: .start)
    _ = Self.answers(&limit, from: .start, for: .seconds(60), isWaiting: false) { _ in .milliseconds(50) }
    #expect(limit.limit == 16)
  }

  /// Six of eight large files went through, which hold half of the slots.
  @Test func learnsLimitFromLargeUploadsAlone() {
    var limit = ConcurrencyLimit(now: .start)
    var now = Timestamp.start
    for _ in 1...3 {
      let inFlight = limit.limit / 2
      let lost = max(0, inFlight - 6)
      if lost == 0 { break }
      for _ in 1...lost {
        limit.ended(.init(.refused, after: .milliseconds(5), size: 20 << 20), now: now + .milliseconds(5))
      }
      for _ in 1...6 { limit.ended(.init(.answered, after: .seconds(20), size: 20 << 20), now: now + .seconds(20)) }
      limit.ended(.init(.answered, after: .seconds(20), size: 20 << 20), now: now + .seconds(50))
      now = now + .seconds(51)
    }
    #expect((12...13).contains(limit.limit), "\(limit.limit)")
  }

  /// The limit after many answers, with one of the other kind after each 20 of them or with none.
  /// - Parameter size: the size of nearly all files, nil for small ones.
  private static func limit(ofSize size: Int64?, isMixed: Bool) -> Int {
    var limit = ConcurrencyLimit(now: .start)
    var now = Timestamp.start
    let latency: Duration = size == nil ? .milliseconds(50) : .seconds(20)
    for number in 1...20_000 {
      limit.committed(isWaiting: true, inFlight: limit.limit, now: now)
      now = now + .microseconds(latency.microseconds / Int64(limit.limit))
      limit.ended(.init(.answered, after: latency, size: size), now: now)
      guard isMixed, number.isMultiple(of: 20) else { continue }
      limit.ended(.init(.answered, after: .seconds(9), size: size == nil ? 64 << 20 : nil), now: now)
    }
    return limit.limit
  }

  /// How long a file takes depends on its size, so a few of the other kind neither raise nor lower the limit.
  @Test(arguments: [nil, 20 << 20] as [Int64?]) func fewFilesOfOtherKindChangeNothing(size: Int64?) {
    #expect(Self.limit(ofSize: size, isMixed: true) == Self.limit(ofSize: size, isMixed: false))
  }
}
