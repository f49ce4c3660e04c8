import ArgumentParser
import ControlAPI
import Jobs

/// The options that select jobs by their properties.
struct FilterOptions: ParsableArguments {
  @Option(help: "In this state. May be repeated, or list several with commas.", completion: .states)
  var state: [String] = []

  @Option(help: ArgumentHelp("From this spool.", valueName: "name"), completion: .spools)
  var spool: String?

  @Option(
    help: ArgumentHelp(
      "With a name that contains this text, or matches this shell pattern, e.g. '*.pdf'. Case does not matter.",
      valueName: "text"))
  var name: String?

  @Option(
    help: ArgumentHelp(
      """
      With a last failure of this kind, or with these words in it, in upper or lower case; … stands for any text. The \
      kinds are \
      \(Failure.Kind.allCases.map(\.rawValue).joined(separator: ", ")).
      """, valueName: "words"))
  var error: String?

  @Option(
    help: ArgumentHelp("In this group of list --by reason, by its number there.", valueName: "number"))
  var group: Int64?

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
    if let group {
      guard group > 0 else { throw ValidationError("--group needs a number that list --by reason shows.") }
      filter.like = JobNumber(rawValue: group)
    }
    return filter
  }
}
