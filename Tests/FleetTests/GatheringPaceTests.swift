import Testing

@testable import Fleet

struct GatheringPaceTests {
  /// The pause after so many events came in a second.
  private static func pause(_ events: Int64) -> Duration {
    var pace = GatheringPace()
    let start = ContinuousClock.now
    _ = pace.pause(after: 1000, at: start)
    return pace.pause(after: 1000 + events, at: start + .seconds(1))
  }

  @Test func firstRoundUsesShortestPause() {
    var pace = GatheringPace()
    #expect(pace.pause(after: 300_000, at: .now) == GatheringPace.least)
  }

  @Test func quietHostIsPolledSoon() { #expect(Self.pause(0) == GatheringPace.least) }

  @Test func busyHostGathersLonger() {
    #expect(Self.pause(1) < Self.pause(30))
    #expect(Self.pause(30) < .seconds(1))
    #expect(Self.pause(500) == GatheringPace.most)
  }

  @Test func gathersNoMoreThanDaemonHasAtHand() {
    #expect(Self.pause(6000) == .seconds(1))
    #expect(Self.pause(10_000_000) == GatheringPace.least)
  }

  @Test func revertedLedgerIsNotBusy() { #expect(Self.pause(-500) == GatheringPace.least) }
}
