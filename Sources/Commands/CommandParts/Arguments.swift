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

extension JobState {
  /// Reads the states that an option names; each of its words may list several with commas.
  ///
  /// - Throws: `ValidationError` with the states that there are.
  package static func chosen(_ words: [String]) throws -> [JobState] {
    try words.flatMap { $0.split(separator: ",", omittingEmptySubsequences: false) }.map { word in
      guard let state = JobState(rawValue: String(word)) else {
        let known = JobState.allCases.map(\.rawValue).joined(separator: ", ")
        throw ValidationError("There is no state '\(word)'. The states are: \(known).")
      }
      return state
    }
  }
}

extension ArgumentHelp {
  /// The help of `--state`.
  package static let state = ArgumentHelp("In this state. May be repeated, or list several with commas.")
  /// The help of `--name`.
  package static let jobName = ArgumentHelp(
    "With a name that contains this text, or matches this shell pattern, e.g. '*.pdf'. Case does not matter.",
    valueName: "text")
}

extension Timestamp {
  /// The present time, as it is shown to people.
  package static var now: Timestamp { Timestamp(microseconds: Int64(Date().timeIntervalSince1970 * 1_000_000)) }
}

/// The properties by which jobs can be counted.
package enum Grouping: String, CaseIterable, ExpressibleByArgument {
  case reason
}
