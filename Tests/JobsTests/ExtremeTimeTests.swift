import Jobs
import MessageLiterals
import Messages
import Testing

@Suite struct ExtremeTimeTests {
  private static let numbers: [Int64] = [
    .min, .min + 1, -(1 << 53), -1, 0, 1, 1 << 31, 10_413_792_000, 253_402_300_800, 1 << 53, .max - 1, .max,
  ]

  @Test func anyTwoTimesAndSpansCanBeComputed() {
    for first in Self.numbers {
      for second in Self.numbers {
        let (a, b) = (Timestamp(microseconds: first), Timestamp(seconds: second))
        let span = b - a
        #expect(a + span == b || span.microseconds == .max || span.microseconds == .min)
        #expect(a <= b ? span >= .zero : span < .zero)
        for time in [a, b, a + .seconds(second), b + .nanoseconds(first)] {
          _ = (time.utc, time.rfc3339, time.rfc3339Milliseconds, time.iso8601Basic, time.wholeSeconds)
          _ = (span.inUnits, span.inSeconds, Message.Value.duration(span))
          for offset in [-86_400, 0, 3600, .min, .max] { _ = time.parts(ahead: offset) }
          var random: any RandomNumberGenerator = SystemRandomNumberGenerator()
          _ = JobID.mint(at: time, random: &random).mintedAt
        }
      }
    }
  }

  @Test func anyScheduleHasItsPause() {
    for spent in Self.numbers {
      for policy in [RetryPolicy(), RetryPolicy(delays: [])] {
        var random = SystemRandomNumberGenerator()
        _ = Verdict.on(
          Failure(.transient, "502", status: 502), delaysSpent: Int(spent), policy: policy,
          settle: .seconds(1), random: &random)
      }
    }
  }

  @Test func sizeIsNeverNegative() {
    #expect(FileIdentity(device: 1, inode: 1, size: .min, modified: .min, changed: .max).size == 0)
  }
}
