import ArgumentParser
import CommandParts
import Fleet
import Jobs

/// The options that select jobs of all hosts.
struct FleetFilterOptions: ParsableArguments {
  @Option(help: ArgumentHelp("Of this host, by its name or the uuid of its ledger.", valueName: "host")) var host:
    String?
  @Option(help: .state) var state: [String] = []
  @Option(help: ArgumentHelp("From the spools of this name.", valueName: "name")) var spool: String?
  @Option(help: ArgumentHelp("At this destination, e.g. backend.main.", valueName: "name")) var destination: String?
  @Option(
    help: ArgumentHelp(
      "With a name that contains this text, or is like it with * for any text and ? for one character. Case does not matter.",
      valueName: "text"))
  var name: String?
  @Option(
    help: ArgumentHelp(
      "With a last failure of this kind, or with these words in it, in upper or lower case; … stands for any text.",
      valueName: "words"))
  var error: String?

  /// The options in words, as they were given.
  var words: String {
    let options =
      state.map { ("state", $0) }
      + [("host", host), ("spool", spool), ("destination", destination), ("name", name), ("error", error)]
      .compactMap { name, value in value.map { (name, $0) } }
    return options.map { "--\($0.0) \($0.1)" }.joined(separator: " ")
  }

  /// The filter.
  func filter() throws -> FleetFilter {
    var filter = FleetFilter()
    filter.states = try JobState.chosen(state).map(\.rawValue)
    (filter.host, filter.spool, filter.destination, filter.name, filter.error) = (host, spool, destination, name, error)
    return filter
  }
}
