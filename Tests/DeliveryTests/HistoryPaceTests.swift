import Jobs
import Testing

@testable import Delivery

@Suite struct HistoryPaceTests {
  private static let start = Timestamp(year: 2026, month: 11, day: 21)
  private static let hour: Int64 = 3600

  private static func pace(note: String?, now: Timestamp, steady: Timestamp) -> HistoryPace {
    var pace = HistoryPace(now: now, steady: steady)
    pace.goOn(from: note)
    return pace
  }

  /// One daemon, looked at each hour: the hours of its run at which jobs may leave. `jumps` are changes of the wall clock
  /// by hours, at an hour of the run.
  private func leavings(
    note: String?, hours: Int, jumps: [Int: Int64] = [:], wall: Int64 = 0
  ) -> (hours: [Int], note: String) {
    var shift = wall
    func clocks(_ hour: Int) -> (Timestamp, Timestamp) {
      let steady = Timestamp(seconds: Int64(hour) * Self.hour)
      return (Timestamp(seconds: Self.start.wholeSeconds + (Int64(hour) + shift) * Self.hour), steady)
    }
    var pace = Self.pace(note: note, now: clocks(0).0, steady: clocks(0).1)
    var left: [Int] = []
    for hour in 0...hours {
      shift += jumps[hour] ?? 0
      let (now, steady) = clocks(hour)
      if pace.advance(now: now, steady: steady) == nil { left.append(hour) }
    }
    return (left, pace.note)
  }

  /// The note of a daemon that looked so many hours ago, with so many hours of a hold left.
  private func note(ago: Int64, hold: Int64 = 0) -> String {
    "\((Self.start.wholeSeconds - ago * Self.hour) * 1_000_000) \(hold * Self.hour * 1_000_000)\n"
  }

  @Test(arguments: [8760, 2, -2, -8760] as [Int64])
  func clockJumpHoldsForOneDay(jump: Int64) {
    #expect(leavings(note: note(ago: 2), hours: 40, jumps: [10: jump]).hours == Array(0..<10) + Array(34...40))
    // It is set right within the day: that is another jump.
    #expect(
      leavings(note: note(ago: 2), hours: 50, jumps: [10: jump, 20: -jump]).hours == Array(0..<10) + Array(44...50))
  }

  /// The clock was set and set right between two looks, so that neither of these sees it. A commit of the ledger does.
  @Test(arguments: [-8760, 8760] as [Int64])
  func jumpBetweenLooksHoldsForOneDay(hours: Int64) {
    let change = Duration.seconds(hours * Self.hour)
    var pace = Self.pace(note: note(ago: 2), now: Self.start, steady: Timestamp(seconds: 0))
    func times(_ seconds: Int64) -> (now: Timestamp, steady: Timestamp) {
      (Self.start + .seconds(seconds), Timestamp(seconds: seconds))
    }
    func compare(_ seconds: Int64, setBy change: Duration = .zero) -> Bool {
      pace.holdIfSet(now: times(seconds).now + change, steady: times(seconds).steady)
    }
    func look(_ seconds: Int64) -> Duration? { pace.advance(now: times(seconds).now, steady: times(seconds).steady) }
    #expect(!compare(100) && compare(540, setBy: change) && !compare(560, setBy: change) && compare(600))
    #expect(pace.jump == .zero - change)
    #expect(look(Self.hour) == HistoryPace.hold - .seconds(Self.hour - 600))
    #expect(look(86_400 + 599) == .seconds(1))
    #expect(look(86_400 + 600) == nil)
    #expect(pace.jump == nil)
  }

  @Test func jumpBeforeNoteIsReadHoldsForOneDay() {
    var pace = HistoryPace(now: Self.start, steady: Timestamp(seconds: 0))
    let later = Self.start + .seconds(2 * Self.hour)
    let hasJumped = pace.holdIfSet(now: later, steady: Timestamp(seconds: 0))
    pace.goOn(from: note(ago: 0))
    let wait = pace.advance(now: later, steady: Timestamp(seconds: 0))
    #expect(hasJumped && wait == HistoryPace.hold)
  }

  @Test func holdSurvivesRestart() {
    let held = leavings(note: note(ago: 2), hours: 14, jumps: [10: 8760])
    #expect(held.hours == Array(0..<10))
    let next = leavings(note: held.note, hours: 40, wall: 14 + 8760)
    #expect(next.hours == Array(20...40))
  }

  @Test func missingNoteOrAbsenceWaitsOneDay() {
    let absences = [25, 8760, -1].map { note(ago: $0) }
    for note in [nil, "", "x y", "1 2 3"] + absences { #expect(leavings(note: note, hours: 30).hours.first == 24) }
    #expect(leavings(note: note(ago: 23), hours: 30).hours.first == 0)
  }

  @Test func waitsOnlyForHold() {
    let now = Timestamp(seconds: 0)
    var pace = Self.pace(note: note(ago: 0), now: Self.start, steady: now)
    #expect(pace.advance(now: Self.start, steady: now) == nil)
    let before = pace
    #expect(!pace.mustBeNoted(after: before))
    let year = Self.start + .seconds(8760 * Self.hour)
    #expect(pace.advance(now: year, steady: now) == HistoryPace.hold)
    #expect(pace.mustBeNoted(after: before))
    var next = Self.pace(note: pace.note, now: year, steady: now)
    #expect(next.advance(now: year, steady: now) == HistoryPace.hold)
  }

  @Test func smallClockChangeIsNoJump() {
    #expect(leavings(note: note(ago: 2), hours: 5, jumps: [2: 1, 4: -1]).hours == [0, 1, 2, 3, 4, 5])
  }
}
