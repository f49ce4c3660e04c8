import ChildProcesses
import Jobs
import Testing

@Suite(.aside) struct TokenBucketTests {
  private func has(_ bucket: inout TokenBucket, _ now: Int64) -> Bool { bucket.hasToken(at: now) }

  /// Takes each token as soon as it is there, in steps at random, with pauses: in no span are there more than rate and burst allow, and
  /// over a span in which all were wanted there are nearly as many.
  @Test(arguments: Seeds.many(0..<12), [0.001, 0.5, 1, 2.7, 50, 999.9, 30_000, 100_000])
  func keepsRateInEverySpan(_ seed: UInt64, _ rate: Double) {
    var random = SplitMix64(seed: seed)
    var bucket = TokenBucket(rate: rate, now: 7)
    var (now, taken): (Int64, [Int64]) = (7, [])
    while taken.count < 400 {
      if bucket.hasToken(at: now) {
        bucket.take()
        taken.append(now)
      } else {
        #expect(bucket.next > now && Double(bucket.next - now) <= 1000 / rate + 1)
        // not always at once, and now and then long after
        now = Int.random(in: 0..<40, using: &random) == 0 ? bucket.next + 5000 : bucket.next
      }
    }
    let burst = max(1, rate.rounded(.down))
    for first in stride(from: 0, to: taken.count, by: 7) {
      for last in first..<taken.count {
        let most = Double(taken[last] - taken[first]) / 1000 * rate + burst
        #expect(Double(last - first + 1) <= most + 1e-6, "\(first) to \(last)")
      }
    }
  }

  @Test func losesLittleToRounding() {
    for rate in [0.5, 3, 70, 999.9] {
      var (bucket, now, count) = (TokenBucket(rate: rate), Int64(0), 0)
      while now < 100_000 {
        if bucket.hasToken(at: now) {
          bucket.take()
          count += 1
        } else {
          now = bucket.next
        }
      }
      #expect(Double(count) >= rate * 100 * 0.99, "\(rate)")
    }
  }

  /// Time that goes back is no time, and it goes on from there; extreme times overflow nothing.
  @Test func clockJumpsStarveNobody() {
    var bucket = TokenBucket(rate: 0.5, now: 1_000_000)
    #expect(has(&bucket, 1_000_000))
    bucket.take()
    #expect(!has(&bucket, 5) && bucket.next == 2005)
    #expect(!has(&bucket, 2004) && has(&bucket, 2005))
    bucket.take()
    for now in [Int64.min, .max, .min, .max - 1, 0, .max] {
      if has(&bucket, now) { bucket.take() }
      #expect(bucket.next >= now)
    }
    #expect(TokenBucket(rate: .infinity).rate == 100_000 && TokenBucket(rate: -1).rate == 0.001)
  }

  @Test func newRateBeginsEmpty() {
    var bucket = TokenBucket(rate: 0.001)
    bucket.take()
    #expect(!has(&bucket, 100) && bucket.next == 1_000_000)
    bucket.set(rate: 100)
    #expect(!has(&bucket, 109) && has(&bucket, 110))
  }

  @Test func showsRates() { #expect([50, 0.5, 1e300].map(TokenBucket.text) == ["50", "0.5", "1e+300"]) }
}
