import Testing

@testable import Delivery

@Suite struct RoomSharesTests {
  private func give(_ shares: inout RoomShares) -> String {
    shares.give().map { "\($0.spool) \($0.room)" } ?? "none"
  }

  @Test func grantsRoomInBatchesOnce() {
    var shares = RoomShares(admitAhead: 300, priorities: ["a": 0, "b": 0])
    shares.wait("a")
    shares.wait("b")
    #expect(give(&shares) == "a 256")
    #expect(give(&shares) == "b 44")
    shares.used("b")
    shares.ahead = 44
    shares.wait("b")
    #expect(give(&shares) == "none")
    shares.used("a")
    shares.ahead = 54
    #expect(give(&shares) == "b 246")
  }

  @Test func equalSpoolsTakeTurns() {
    var shares = RoomShares(admitAhead: 1, priorities: ["a": 0, "b": 0])
    var order = ""
    for spool in ["a", "b"] { shares.wait(spool) }
    for _ in 1...6 {
      guard let spool = shares.give()?.spool else { break }
      order += spool
      shares.used(spool)
      shares.wait(spool)
    }
    #expect(order == "ababab")
  }

  @Test func reservesScarceRoomForHigherPriority() {
    var shares = RoomShares(admitAhead: 10, priorities: ["low": 0, "high": 5])
    shares.ahead = 8
    shares.wait("low")
    shares.wait("high")
    #expect(give(&shares) == "high 2")
    shares.used("high")
    shares.ahead = 9
    #expect(give(&shares) == "none", "high comes back at once")
    shares.wait("high")
    #expect(give(&shares) == "high 1")
    shares.used("high")
    #expect(give(&shares) == "none")
    shares.rest("high")
    #expect(give(&shares) == "low 1")
  }

  @Test func ampleRoomNeedsNoWaiting() {
    var shares = RoomShares(admitAhead: 10_000, priorities: ["low": 0, "high": 5])
    for spool in ["low", "high"] { shares.wait(spool) }
    #expect(give(&shares) == "high 256")
    shares.used("high")
    #expect(give(&shares) == "low 256")
  }

  /// One that reads a directory without finding anything to claim does not keep others out.
  @Test func idleSpoolSkipsOneTurn() {
    var shares = RoomShares(admitAhead: 4, priorities: ["low": 0, "high": 5])
    shares.wait("high")
    #expect(give(&shares) == "high 4")
    shares.wait("low")
    #expect(give(&shares) == "none")
    shares.wait("high")
    #expect(give(&shares) == "low 4")
    shares.used("low")
    shares.wait("low")
    #expect(give(&shares) == "high 4")
  }
}
