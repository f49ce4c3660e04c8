public import ArgumentParser
import ControlAPI
import FoundationEssentials
public import Jobs

/// The options that select jobs by their properties.
struct FilterOptions: ParsableArguments {
  @Option(help: "In this state. May be repeated, or list several with commas.", completion: .states)
  var state: [String] = []

  @Option(help: ArgumentHelp("From this spool.", valueName: "name"), completion: .spools)
  var spool: String?

  @Option(help: ArgumentHelp("With a name that matches this shell pattern, e.g. '*.pdf'.", valueName: "pattern"))
  var name: String?

  @Option(
    help: ArgumentHelp(
      """
      With a last failure of this kind, or with these words in it. The kinds are \
      \(Failure.Kind.allCases.map(\.rawValue).joined(separator: ", ")).
      """, valueName: "words"))
  var error: String?

  /// The filter that the options describe.
  func filter() throws -> JobFilter {
    var filter = JobFilter()
    for word in state.flatMap({ $0.split(separator: ",", omittingEmptySubsequences: false) }) {
      guard let state = State(rawValue: String(word)) else {
        let known = State.allCases.map(\.rawValue).joined(separator: ", ")
        throw ValidationError("There is no state '\(word)'. The states are: \(known).")
      }
      filter.states.insert(state)
    }
    filter.spool = spool
    filter.name = name
    filter.error = error
    return filter
  }
}

/// A point in time on the command line.
struct TimeArgument: ExpressibleByArgument {
  var timestamp: Timestamp

  init?(argument: String) {
    guard let timestamp = RelativeTime.read(argument, now: .now) else { return nil }
    self.timestamp = timestamp
  }
}

extension Step: ExpressibleByArgument {}

extension JobReference: ExpressibleByArgument {
  /// Reads a number or an id.
  public init?(argument: String) { self.init(argument) }
}

extension Timestamp {
  /// The present time, as it is shown to people.
  static var now: Timestamp { Timestamp(microseconds: Int64(Date().timeIntervalSince1970 * 1_000_000)) }
}
