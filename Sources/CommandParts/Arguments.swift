public import ArgumentParser
import ControlAPI
import FoundationEssentials
public import Jobs

/// A point in time on the command line.
package struct TimeArgument: ExpressibleByArgument {
  /// The forms, for a help text.
  package static let forms =
    "A date such as 2026-11-21T01:02:03Z or 2026-11-21, today or yesterday (in UTC), or an age such as 90s, 1h 30min "
    + "or 2d."

  package var timestamp: Timestamp

  /// Reads the word.
  package init?(argument: String) {
    guard let timestamp = RelativeTime.read(argument, now: .now) else { return nil }
    self.timestamp = timestamp
  }
}

/// A span of time on the command line.
package struct SpanArgument: ExpressibleByArgument {
  package var duration: Duration

  /// Reads the word.
  package init?(argument: String) {
    guard let duration = RelativeTime.duration(argument), duration > .zero else { return nil }
    self.duration = duration
  }
}

extension Step: ExpressibleByArgument {}

extension Timestamp {
  /// The present time, as it is shown to people.
  package static var now: Timestamp { Timestamp(microseconds: Int64(Date().timeIntervalSince1970 * 1_000_000)) }
}

/// The properties by which jobs can be counted.
package enum Grouping: String, CaseIterable, ExpressibleByArgument {
  case reason
}
