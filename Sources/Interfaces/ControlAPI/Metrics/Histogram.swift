import Jobs
import Messages

/// A distribution in Prometheus' form: the number of values up to each of some bounds, and their sum.
package struct Histogram: Sendable, Equatable {
  /// The upper bounds, ascending.
  package let bounds: [Int64]
  /// The values up to each bound that are above the one before it; the last place is for values above all bounds.
  package private(set) var counts: [Int]
  package private(set) var sum: Int64 = 0

  package init(_ bounds: [Int64]) {
    self.bounds = bounds
    counts = [Int](repeating: 0, count: bounds.count + 1)
  }

  package mutating func observe(_ value: Int64) {
    var place = 0
    while place < bounds.count, value > bounds[place] { place += 1 }
    counts[place] += 1
    sum +|= value
  }

  /// Counts a time. A negative one, after the clock was set back, counts as zero.
  package mutating func observe(_ time: Duration) { observe(max(0, time.microseconds)) }

  /// The bounds for requests, in microseconds: from one on the loopback to one that is nearly given up.
  package static let requestTimes: [Int64] =
    [1_000, 2_500, 5_000, 10_000, 25_000, 50_000, 100_000, 250_000, 500_000]
    + [1_000_000, 2_500_000, 5_000_000, 10_000_000, 30_000_000, 120_000_000, 600_000_000]

  /// The bounds for the way of a job, in microseconds: from a small file to a job that waited for a person over a weekend.
  package static let journeyTimes: [Int64] =
    [10_000, 25_000, 50_000, 100_000, 250_000, 500_000, 1_000_000, 2_500_000, 5_000_000, 10_000_000, 30_000_000]
    + [60_000_000, 300_000_000, 900_000_000, 3_600_000_000, 14_400_000_000, 86_400_000_000, 259_200_000_000]

  /// The bounds for commits, in microseconds: from a file system in memory to a disk in trouble.
  package static let commitTimes: [Int64] = [
    100, 250, 500, 1_000, 2_500, 5_000, 10_000, 25_000, 50_000, 100_000, 250_000, 500_000, 1_000_000, 5_000_000,
  ]
}
