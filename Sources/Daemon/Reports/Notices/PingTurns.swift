package import Jobs

/// The times at which the ping is sent. A pure value: `now` is a parameter, on the steady clock.
///
/// It is sent at regular times, and at once when the daemon's state turns from well to unwell or back. A ping that failed is sent
/// again sooner than the next one is due: with a minute between them, one lost request must neither raise an alarm nor lose one.
package struct PingTurns: Sendable {
  /// The least time between two pings, however often the state turns. healthchecks.io takes five a minute.
  package static let least: Duration = .seconds(12)
  /// The longest pause after a ping that failed.
  package static let longestPause: Duration = .seconds(300)

  private var last: Timestamp?
  private var wasWell: Bool?
  /// The pings that failed since the last that was accepted.
  package private(set) var failures = 0

  package init() {}

  /// The time of the next ping.
  package func due(isWell: Bool, every: Duration) -> Timestamp {
    guard let last, let wasWell else { return Timestamp(microseconds: .min) }
    if wasWell != isWell { return last + min(every, Self.least) }
    if failures == 0 { return last + every }
    return last + min(every, Self.least * (1 << min(failures - 1, 16)), Self.longestPause)
  }

  /// Records that a ping begins.
  package mutating func begin(isWell: Bool, now: Timestamp) {
    last = now
    wasWell = isWell
  }

  /// Records that the ping has ended.
  package mutating func end(wasTaken: Bool) { failures = wasTaken ? 0 : failures + 1 }
}

/// The URL of a ping and that of its failure.
package enum PingAddress {
  /// Puts `/fail` at the end of the path; a query stays behind it.
  package static func failure(of url: String) -> String {
    let end = url.firstIndex(of: "?") ?? url.endIndex
    let path = url[..<end]
    return path + (path.hasSuffix("/") ? "fail" : "/fail") + url[end...]
  }

  /// The part of a URL that is no secret: scheme and host.
  package static func shown(_ url: String) -> String {
    let parts = url.split(separator: "/", maxSplits: 3, omittingEmptySubsequences: false)
    guard parts.count > 2 else { return "its URL" }
    let host = parts[2].prefix { $0 != "?" && $0 != "#" }
    return "\(parts[0])//\(host.split(separator: "@").last ?? "")"
  }
}
