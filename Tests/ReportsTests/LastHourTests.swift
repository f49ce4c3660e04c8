import Jobs
import Testing

@testable import Reports

@Suite struct LastHourTests {
  private func minute(_ number: Int64, _ second: Int64 = 0) -> Timestamp { Timestamp(seconds: number * 60 + second) }

  @Test func countsSixtyMinutesUpToNow() {
    var hour = LastHour()
    for number in Int64(100)...179 { hour.add(Int(number), at: minute(number, 59)) }
    hour.add(1, at: minute(179))
    let minutes = hour.minutes(until: minute(180))
    #expect(minutes == Array(121...178) + [180, 0])
    #expect(hour.minutes(until: minute(1000)) == Array(repeating: 0, count: 60))
  }

  /// A clock that was far ahead for a while leaves a minute that is never shown, and keeps no others.
  @Test func minutesOfWrongClockGo() {
    var hour = LastHour()
    hour.add(7, at: minute(1_000_000))
    for number in Int64(1)...60 { hour.add(1, at: minute(number)) }
    #expect(hour.minutes(until: minute(60)) == Array(repeating: 1, count: 60))
  }
}
