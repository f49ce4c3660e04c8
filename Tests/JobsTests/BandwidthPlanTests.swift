import ChildProcesses
import Jobs
import Testing

/// A plan over a whole year, with the days on which the clock is set, against Python's local clock.
@Suite(.aside) struct BandwidthPlanTests {
  private static let day = 1440

  /// Office hours, the weekend from Friday evening on, and an hour in the night in which clocks are set.
  private static let plan = BandwidthPlan(
    windows: (0..<5).map { .init(from: $0 * day + 8 * 60, minutes: 10 * 60, limit: 2) }
      + [.init(from: 4 * day + 20 * 60, minutes: 2 * day, limit: 5), .init(from: 6 * day + 90, minutes: 90, limit: 7)],
    otherwise: 9)

  private static func limit(minute: Int) -> Int64 {
    for window in plan.windows where (0..<window.minutes).contains((minute - window.from + 10_080) % 10_080) {
      return window.limit
    }
    return plan.otherwise
  }

  @Test(arguments: [
    "Europe/Berlin", "America/New_York", "Australia/Lord_Howe", "Asia/Kathmandu", "Pacific/Apia", "UTC",
  ])
  func limitsHoldEveryQuarterHour(name: String) async throws {
    let zone = try TimeZoneRulesTests.rules(name)
    let output = try await Command.require(["python3", TimeZoneRulesTests.program, "year", name, "2026"])
    var next: Timestamp?
    var current: Int64?
    var looks = 0
    for line in output.split(separator: "\n") {
      let parts = line.split(separator: " ")
      let time = Timestamp(seconds: try #require(Int64(parts[0])))
      let expected = Self.limit(minute: try #require(Int(parts[1])))
      #expect(Self.plan.limit(at: time, in: zone) == expected, "\(name) \(time.rfc3339)")
      // The one who only looks when it is told to has the same limit at all times.
      while next == nil || next.map({ $0 <= time }) == true {
        let look = next ?? time
        current = Self.plan.limit(at: look, in: zone)
        let after = try #require(Self.plan.nextChange(after: look, in: zone))
        #expect(after > look)
        next = after
        looks += 1
      }
      #expect(current == expected, "\(name) \(time.rfc3339): followed")
    }
    #expect(looks < 53 * 16, "it looks at the edges alone")
  }

  @Test func planWithoutWindowsNeverChanges() {
    let plan = BandwidthPlan(otherwise: 3)
    let now = Timestamp(year: 2026, month: 11, day: 21)
    #expect(plan.limit(at: now, in: .utc) == 3)
    #expect(plan.nextChange(after: now, in: .utc) == nil)
  }
}
