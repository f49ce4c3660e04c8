import ArgumentParser
import CommandParts
import ControlAPI
import Jobs

/// The options that select jobs and events by what they belong to.
struct ScopeOptions: ParsableArguments {
  @Option(help: .host) var host: [String] = []
  @Option(help: ArgumentHelp("Of this spool.", valueName: "name")) var spool: String?
  @Option(
    help: ArgumentHelp(
      "With a file's name that contains this text, or matches this shell pattern, e.g. '*.pdf'. The case of A to Z does not matter.",
      valueName: "text"))
  var name: String?

  func validate() throws {
    for (option, value) in [("--spool", spool), ("--name", name)] where value == "" {
      throw ValidationError("\(option) needs a value.")
    }
  }
}

struct FilterOptions: ParsableArguments {
  @OptionGroup var scope: ScopeOptions
  @Option(
    help: """
      In this state: waiting, working, needs-you, stopped, done, or an exact one. May be repeated, or list several \
      with commas.
      """, completion: .list(JobState.known))
  var state: [String] = []
  @Option(help: .error) var error: String?
  @Option(
    help: ArgumentHelp("In this group of list --by reason.", valueName: "number"))
  var group: Int64?

  func filter() throws -> JobFilter {
    var filter = JobFilter(scope, error: error)
    filter.states = Set(try JobState.chosen(state))
    if let group {
      guard group > 0 else { throw ValidationError("--group needs a number that list --by reason shows.") }
      filter.like = JobNumber(rawValue: group)
    }
    return filter
  }
}

extension JobFilter {
  init(_ scope: ScopeOptions, error: String?) {
    self.init()
    hosts = Set(scope.host)
    (spool, name, self.error) = (scope.spool, scope.name, error)
  }
}

extension ArgumentHelp {
  static let error = ArgumentHelp(
    """
    With a last failure of this kind, or with these words; … stands for any text. The kinds are \
    \(Failure.Kind.allCases.map(\.rawValue).joined(separator: ", ")).
    """, valueName: "words")
}

struct RangeOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp("At or after this time; jobs by their admission. \(TimeArgument.forms)", valueName: "time"))
  var since: TimeArgument?
  @Option(help: ArgumentHelp("Before this time.", valueName: "time")) var until: TimeArgument?

  func validate() throws {
    if let since, let until, until.timestamp <= since.timestamp {
      throw ValidationError("--until has to be later than --since.")
    }
  }
}

struct LineCount: ExpressibleByArgument {
  /// The number; nil for all.
  let count: Int?

  init?(argument: String) {
    count = Int(argument)
    guard argument == "all" || count.map({ $0 >= 0 }) == true else { return nil }
  }
}
