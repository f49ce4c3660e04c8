import Jobs
import Testing

@testable import Delivery

/// The rule by which a spool is silent.
@Suite struct SilenceTests {
  private static let now = Timestamp(year: 2026, month: 11, day: 27)
  private static let day = Duration.seconds(86_400)

  struct Row: Sendable, CustomTestStringConvertible {
    let testDescription: String
    /// The times before now.
    let last: Duration
    var active: Duration?
    let isSilent: Bool
  }

  @Test(arguments: [
    Row(testDescription: "just now", last: .zero, isSilent: false),
    Row(testDescription: "at the limit", last: day, isSilent: false),
    Row(testDescription: "beyond it", last: day + .seconds(1), isSilent: true),
    Row(testDescription: "long ago", last: day * 400, isSilent: true),
    Row(testDescription: "active again for less", last: day * 3, active: day, isSilent: false),
    Row(testDescription: "active again for longer", last: day * 3, active: day + .seconds(1), isSilent: true),
    Row(testDescription: "a file after it was active again", last: .seconds(5), active: day * 3, isSilent: false),
    Row(testDescription: "a clock that was set back", last: .zero - day * 2, isSilent: false),
    Row(testDescription: "active in the future", last: day * 3, active: .zero - day, isSilent: false),
  ])
  func countsFromLastFileOrBeginning(row: Row) {
    let silence = Silence.standing(
      now: Self.now, last: Self.now + (.zero - row.last), activeSince: row.active.map { Self.now + (.zero - $0) },
      every: Self.day)
    #expect(silence == (row.isSilent ? row.last : nil))
  }

  @Test(arguments: [
    (Duration.seconds(119), Duration.seconds(60)), (.seconds(7200 + 59), .seconds(7200)),
    (.seconds(86_400 + 3599), .seconds(86_400)), (.seconds(3 * 86_400 + 7201), .seconds(3 * 86_400 + 7200)),
  ])
  func wordsChangeSeldom(time: Duration, rounded: Duration) { #expect(Silence.rounded(time) == rounded) }
}
