import ArgumentParser
import CommandParts
import ControlAPI
import Jobs

/// The options that select jobs by their properties.
struct FilterOptions: ParsableArguments {
  @Option(help: .host) var host: [String] = []

  @Option(help: .state, completion: .list(JobState.known))
  var state: [String] = []

  @Option(help: ArgumentHelp("From this spool.", valueName: "name")) var spool: String?

  @Option(help: .jobName) var name: String?

  @Option(
    help: ArgumentHelp(
      """
      With a last failure of this kind, or with these words; … stands for any text. The kinds are \
      \(Failure.Kind.allCases.map(\.rawValue).joined(separator: ", ")).
      """, valueName: "words"))
  var error: String?

  @Option(
    help: ArgumentHelp("In this group of list --by reason.", valueName: "number"))
  var group: Int64?

  /// The filter that the options describe.
  func filter() throws -> JobFilter {
    var filter = JobFilter()
    filter.hosts = Set(host)
    filter.states = Set(try JobState.chosen(state))
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
