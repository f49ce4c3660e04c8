public import ArgumentParser
import ControlAPI
import FoundationEssentials
public import Jobs
import Linux

package struct TimeArgument: ExpressibleByArgument {
  package static let forms =
    "A date such as 2026-11-21 or 2026-11-21T01:02:03Z, today, yesterday, or an age such as 1h 30min. "
    + "Dates are local (TZ)."

  package var timestamp: Timestamp

  package init?(argument: String) {
    guard let timestamp = RelativeTime.read(argument, now: .now, offset: LocalTime.process.offset) else { return nil }
    self.timestamp = timestamp
  }
}

extension Step: ExpressibleByArgument {}

extension JobState {
  /// The words for states that an option takes: the phases, and the exact states.
  package static var known: [String] { JobPhase.allCases.map(\.rawValue) + allCases.map(\.rawValue) }

  /// Reads the states that an option names, exactly or by phases; each word may list several with commas.
  /// - Throws: `ValidationError` with the states that there are.
  package static func chosen(_ words: [String]) throws -> [JobState] {
    try words.commaSeparated.map { $0.replacing(" ", with: "-") }.flatMap { word in
      if let phase = JobPhase(rawValue: word) { return JobState.allCases.filter { $0.phase == phase } }
      guard let state = JobState(rawValue: word) else {
        throw ValidationError("There is no state '\(word)'. The states are: \(known.joined(separator: ", ")).")
      }
      return [state]
    }
  }
}

extension [String] {
  /// The words of an option that may be repeated, and that may list several with commas.
  package var commaSeparated: [String] {
    flatMap { $0.split(separator: ",", omittingEmptySubsequences: false).map(String.init) }
  }
}

extension ArgumentHelp {
  package static let json = ArgumentHelp("The answer as JSON.")
  package static let config = ArgumentHelp("The configuration file.", valueName: "file")
  package static let host = ArgumentHelp(
    "Only of this host of a fleet, by its name or its ledger. May be repeated.", valueName: "name")
}

extension Timestamp {
  package static var now: Timestamp { Timestamp(microseconds: Int64(Date().timeIntervalSince1970 * 1_000_000)) }
}

package enum Grouping: String, CaseIterable, ExpressibleByArgument {
  case reason
}
