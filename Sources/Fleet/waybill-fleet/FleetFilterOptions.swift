import ArgumentParser
import CommandParts
import Fleet
import Jobs
import PostgreSQL

/// The options that select jobs of all hosts.
struct FleetFilterOptions: ParsableArguments {
  @Option(help: ArgumentHelp("Of this host, by its name or the uuid of its ledger.", valueName: "host")) var host:
    String?
  @Option(help: .state) var state: [String] = []
  @Option(help: ArgumentHelp("From the spools of this name.", valueName: "name")) var spool: String?
  @Option(help: ArgumentHelp("At this destination, e.g. backend.main.", valueName: "name")) var destination: String?
  @Option(help: .jobName) var name: String?
  @Option(
    help: ArgumentHelp(
      "With a last failure of this kind, or with these words in it, in upper or lower case; … stands for any text.",
      valueName: "words"))
  var error: String?
  @Option(
    help: ArgumentHelp("In this group of list --by reason, by its name there.", valueName: "host/number"))
  var group: String?

  /// The options in words, as they were given.
  var words: String {
    let options =
      state.map { ("state", $0) }
      + [
        ("host", host), ("spool", spool), ("destination", destination), ("name", name), ("error", error),
        ("group", group),
      ].compactMap { name, value in value.map { (name, $0) } }
    return options.map { "--\($0.0) \($0.1)" }.joined(separator: " ")
  }

  /// The filter without the group, which only the database knows.
  func filter() throws -> FleetFilter {
    var filter = FleetFilter()
    filter.states = try JobState.chosen(state).map(\.rawValue)
    (filter.host, filter.spool, filter.destination, filter.name, filter.error) = (host, spool, destination, name, error)
    return filter
  }

  /// Returns the filter with the selected group.
  ///
  /// - Throws: ``Failure`` if there is no such group.
  func withGroup(_ filter: FleetFilter, _ session: PostgreSQLSession) throws -> FleetFilter {
    guard let group else { return filter }
    var filter = filter
    do {
      filter.group = try FleetView.group(session, of: group)
    } catch let ambiguous as FleetNameAmbiguous {
      throw Failure(status: ExitCode(1), words: "\(ambiguous)")
    }
    guard filter.group != nil else {
      throw Failure(
        status: ExitCode(1),
        words: "there is no group \(Words.shown(group)); the groups are shown by: waybill-fleet list --by reason")
    }
    return filter
  }
}
