package import Jobs

/// The times at which the ping is sent. A pure value: `now` is a parameter, on the steady clock.
///
/// It is sent at regular times while all is well. A ping that failed is sent again sooner than the next one is due: with a minute
/// between them, one lost request must not raise an alarm.
package struct PingTurns: Sendable {
  /// The first pause after a ping that failed. healthchecks.io takes five a minute.
  package static let firstPause: Duration = .seconds(12)
  /// The longest pause after a ping that failed.
  package static let longestPause: Duration = .seconds(300)

  private var last: Timestamp?
  /// The pings that failed since the last that was accepted.
  package private(set) var failures = 0

  package init() {}

  /// The time of the next ping.
  package func due(every: Duration) -> Timestamp {
    guard let last else { return Timestamp(microseconds: .min) }
    if failures == 0 { return last + every }
    return last + min(every, Self.firstPause.doubled(failures - 1, upTo: Self.longestPause))
  }

  /// Records that a ping begins.
  package mutating func begin(now: Timestamp) { last = now }

  /// Records that the ping has ended.
  package mutating func end(wasTaken: Bool) { failures = wasTaken ? 0 : failures + 1 }
}

/// The URL of a ping or a webhook.
package enum PingAddress {
  /// The part of a URL that is no secret: scheme and host.
  package static func shown(_ url: String) -> String {
    let parts = url.split(separator: "/", maxSplits: 3, omittingEmptySubsequences: false)
    guard parts.count > 2 else { return "its URL" }
    let host = parts[2].prefix { $0 != "?" && $0 != "#" }
    return "\(parts[0])//\(host.split(separator: "@").last ?? "")"
  }
}
