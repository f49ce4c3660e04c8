package import Jobs

/// The numbers of jobs registered in each minute of the last hour, for the chart of the operator's page.
package struct LastHour: Sendable {
  private static let length: Int64 = 60

  /// The numbers by the minutes since 1970.
  private var counts: [Int64: Int] = [:]

  package init() {}

  package mutating func add(_ count: Int, at time: Timestamp) {
    let minute = Self.minute(of: time)
    counts[minute, default: 0] += count
    if counts.count > Self.length { counts = counts.filter { $0.key > minute - Self.length && $0.key <= minute } }
  }

  package func minutes(until time: Timestamp) -> [Int] {
    let last = Self.minute(of: time)
    return (last - Self.length + 1...last).map { counts[$0] ?? 0 }
  }

  private static func minute(of time: Timestamp) -> Int64 { time.microseconds / 60_000_000 }
}
