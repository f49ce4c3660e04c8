import Foundation
import Jobs
import Testing

@testable import Reports

/// When the daily summary is due.
@Suite struct SummaryTurnTests {
  private static func berlin() throws -> TimeZoneRules {
    let path = "/usr/share/zoneinfo/Europe/Berlin"
    return try TimeZoneRules(name: "Europe/Berlin", tzif: Array(try Data(contentsOf: URL(filePath: path))))
  }

  private func at(_ month: Int, _ day: Int, _ hour: Int, _ minute: Int = 0) -> Timestamp {
    Timestamp(year: 2026, month: month, day: day, hour: hour, minute: minute)
  }

  /// Which of these times a turn finds due, in their order.
  private func due(_ turn: inout SummaryTurn, _ times: Timestamp...) -> [Bool] { times.map { turn.isDue(now: $0) } }

  @Test func comesOnceADayAtItsTime() {
    var turn = SummaryTurn(minute: 8 * 60, zone: .utc, now: at(11, 20, 8))
    #expect(turn.next == at(11, 21, 8), "that of today has passed")
    let found = due(&turn, at(11, 21, 7, 59), at(11, 21, 8), at(11, 21, 8), at(11, 21, 23), at(11, 22, 8, 3))
    #expect(found == [false, true, false, false, true])
    #expect(turn.next == at(11, 23, 8))
    #expect(SummaryTurn(minute: 8 * 60, zone: .utc, now: at(11, 20, 7, 59)).next == at(11, 20, 8))
  }

  /// A time that a day lacks comes an hour later, and one that it has twice comes once.
  @Test func followsLocalTime() throws {
    let zone = try Self.berlin()
    #expect(SummaryTurn(minute: 8 * 60, zone: zone, now: at(11, 20, 12)).next == at(11, 21, 7))
    #expect(SummaryTurn(minute: 8 * 60, zone: zone, now: at(7, 20, 12)).next == at(7, 21, 6))
    // midnight there is the evening before
    #expect(SummaryTurn(minute: 0, zone: zone, now: at(7, 20, 12)).next == at(7, 20, 22))

    var spring = SummaryTurn(minute: 150, zone: zone, now: at(3, 28, 0))
    var moments: [Timestamp] = []
    for _ in 1...3 {
      moments.append(spring.next)
      _ = spring.isDue(now: spring.next)
    }
    #expect(
      moments == [at(3, 28, 1, 30), at(3, 29, 1, 30), at(3, 30, 0, 30)], "half past two is half past three there")

    var autumn = SummaryTurn(minute: 150, zone: zone, now: at(10, 24, 12))
    #expect(autumn.next == at(10, 25, 0, 30))
    let found = due(&autumn, at(10, 25, 0, 30), at(10, 25, 1, 30))
    #expect(found == [true, false], "not an hour later again")
    #expect(autumn.next == at(10, 26, 1, 30))
  }

  /// Every moment of two years, for each minute at which clocks are changed and some others, is where the local clock shows it.
  @Test func momentsShowTheMinuteOnLocalClock() throws {
    let zone = try Self.berlin()
    for minute in [0, 30, 60, 90, 119, 120, 150, 179, 180, 480, 1439] {
      var turn = SummaryTurn(minute: minute, zone: zone, now: at(1, 1, 0))
      var other = 0
      for _ in 0..<730 {
        let now = turn.next
        let parts = now.parts(in: zone)
        if Int(parts.hour) * 60 + Int(parts.minute) != minute { other += 1 }
        let isDue = turn.isDue(now: now)
        let hours = (turn.next - now) / .seconds(3600)
        #expect(isDue && (22...26).contains(hours), "\(minute) \(now.rfc3339) \(hours)")
      }
      #expect(other == ((120..<180).contains(minute) ? 2 : 0), "\(minute): in the hour that a day in March lacks")
    }
  }

  @Test func clockThatIsSetMakesNoSecondAndNoGap() {
    var turn = SummaryTurn(minute: 8 * 60, zone: .utc, now: at(11, 20, 12))
    // set back by two hours: that of today was sent
    let back = due(&turn, at(11, 21, 8), at(11, 21, 6), at(11, 21, 8))
    #expect(back == [true, false, false] && turn.next == at(11, 22, 8))
    // set back by a month: it is not silent for a month
    let farBack = due(&turn, at(10, 21, 9))
    #expect(farBack == [false] && turn.next == at(10, 22, 8))
    // set forward by a week: none, as none came in that time
    let forward = due(&turn, at(10, 29, 9), at(10, 29, 9))
    #expect(forward == [false, false] && turn.next == at(10, 30, 8))
    // set forward, or asleep, over the moment: it comes late
    let late = due(&turn, at(10, 30, 20), at(10, 30, 20))
    #expect(late == [true, false] && turn.next == at(10, 31, 8))
  }
}
