import Jobs
import Testing

@testable import Daemon

/// How many jobs are begun beside those whose turn it is.
struct LookaheadTests {
  private let start = Timestamp(seconds: 1_795_222_923)

  /// So many results a second for so long, each so long in commit.
  private func ahead(_ rate: Int, commit: Duration, seconds: Int = 2, then pause: Duration = .zero) -> Int {
    var lookahead = Lookahead()
    var now = start
    for _ in 0..<(rate * seconds) {
      now = now + .microseconds(1_000_000 / Int64(rate))
      lookahead.note(at: "storage.main", from: now + .microseconds(-commit.microseconds), to: now)
    }
    return lookahead.jobs(of: 32, at: now + pause)["storage.main", default: 0]
  }

  @Test func asManyAsAreInCommitOnAverage() {
    #expect(ahead(1400, commit: .milliseconds(3)) == 4)
    #expect(ahead(500, commit: .milliseconds(4)) == 2)
    #expect(ahead(400, commit: .milliseconds(2)) == 1)
    #expect(ahead(100, commit: .milliseconds(3)) == 0)
  }

  @Test func neverMoreThanThereAreRequests() {
    #expect(ahead(8000, commit: .milliseconds(3)) == 24)
    #expect(ahead(8000, commit: .milliseconds(5)) == 32)
    var lookahead = Lookahead()
    for turn in 1...2000 {
      let now = start + .milliseconds(turn)
      lookahead.note(at: "storage.main", from: now + .milliseconds(-40), to: now)
    }
    let ahead = [1, 3, 4, 8, 32].map { lookahead.jobs(of: $0, at: start + .seconds(2))["storage.main"] }
    #expect(ahead == [nil, nil, 4, 8, 32])
  }

  @Test func whereItIsSlowThereIsNone() {
    var lookahead = Lookahead()
    for turn in 1...2000 {
      let now = start + .milliseconds(turn)
      lookahead.note(at: "storage.main", from: now + .milliseconds(-2), to: now)
      if turn % 100 == 0 { lookahead.note(at: "storage.slow", from: now + .milliseconds(-2), to: now) }
    }
    #expect(lookahead.jobs(of: 32, at: start + .seconds(2)) == ["storage.main": 2])
  }

  @Test func afterARestThereIsNone() {
    #expect(ahead(1400, commit: .milliseconds(3), then: .milliseconds(999)) == 4)
    #expect(ahead(1400, commit: .milliseconds(3), then: .seconds(1)) == 0)
    #expect(Lookahead().jobs(of: 32, at: start).isEmpty)
  }

  /// Requests that begin and end together, each time for long: that many are in commit at once says nothing.
  @Test func waveAfterWaveThereIsNone() {
    var lookahead = Lookahead()
    for wave in 0..<20 {
      let now = start + .milliseconds(wave * 600)
      for _ in 0..<32 { lookahead.note(at: "storage.main", from: now + .milliseconds(-4), to: now) }
      #expect(lookahead.jobs(of: 32, at: now).isEmpty)
    }
  }
}
