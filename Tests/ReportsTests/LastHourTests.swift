import ControlAPI
import Jobs
import Testing

@testable import Reports

@Suite struct LastHourTests {
  private func minute(_ number: Int64, _ second: Int64 = 0) -> Timestamp { Timestamp(seconds: number * 60 + second) }

  @Test func eachMinuteKeepsPeakBacklog() {
    var hour = LastHour()
    hour.record(at: minute(10, 1), uploaded: 0, registered: 0, bytes: 0, backlog: 900)
    hour.record(at: minute(10, 30), uploaded: 450, registered: 450, bytes: 9, backlog: 3)
    hour.record(at: minute(12, 5), uploaded: 0, registered: 1, bytes: 0, backlog: 2)
    let minutes = hour.message(at: minute(13), since: minute(10), offset: .zero, backlog: 1).minutes
    #expect(minutes.map(\.backlog) == [3, 3, 2, 1])
    #expect(minutes.map(\.most) == [900, 3, 3, 2], "a minute begins with what the one before left")
  }

  @Test func workOfEarlierRunIsShown() {
    var hour = LastHour()
    hour.record(at: minute(2), uploaded: 1, registered: 2, bytes: 3, backlog: 4)
    let minutes = hour.message(at: minute(5), since: minute(4), offset: .zero, backlog: 4).minutes
    #expect(minutes.map(\.registered) == [2, 0, 0, 0])
    #expect(minutes.map(\.backlog) == [4, 4, 4, 4])
  }

  @Test func currentBacklogCounts() {
    let minutes = LastHour().message(at: minute(5), since: minute(5), offset: .zero, backlog: 7).minutes
    #expect(minutes.map(\.most) == [7])
  }
}
