import ArgumentParser
import CommandParts
import ControlAPI
import Jobs

/// The options that select events.
struct EventOptions: ParsableArguments {
  @Option(help: .host) var host: [String] = []

  @Option(
    help: ArgumentHelp(
      """
      Only actions of this user: a name or a user id; '*' is any person. May be repeated, or list several with \
      commas.
      """, valueName: "user"))
  var by: [String] = []

  @Option(
    help: ArgumentHelp(
      """
      Only events of this name. May be repeated, or list several with commas: \
      \(EventMessage.names.joined(separator: ", ")).
      """, valueName: "name"))
  var event: [String] = []

  @Option(help: ArgumentHelp("Only of this spool: its jobs, problems and pauses.", valueName: "name"))
  var spool: String?

  @Option(
    help: ArgumentHelp(
      "Only of this destination, such as storage.main: the steps of jobs there, its gate and its pauses.",
      valueName: "name"))
  var destination: String?

  @Option(
    help: ArgumentHelp(
      "Only of jobs whose file's name contains this text, or matches this shell pattern.",
      valueName: "text"))
  var name: String?

  /// The filter that the options describe.
  func filter() throws -> EventFilter {
    var filter = EventFilter()
    filter.hosts = Set(host)
    for user in by.flatMap({ $0.split(separator: ",", omittingEmptySubsequences: false).map(String.init) }) {
      guard !user.isEmpty else { throw ValidationError("--by needs the name or the id of a user, or '*'.") }
      switch filter.by {
      case _ where user == "*": filter.by = .anyone
      case .anyone: break
      case nil: filter.by = .named([user])
      case .named(let users): filter.by = .named(users.union([user]))
      }
    }
    for event in event.flatMap({ $0.split(separator: ",", omittingEmptySubsequences: false).map(String.init) }) {
      guard EventMessage.names.contains(event) else {
        let meant = Suggestion.of(event, among: EventMessage.names).map { " Did you mean '\($0)'?" } ?? ""
        throw ValidationError(
          "There is no event '\(event)'.\(meant) The events are: \(EventMessage.names.joined(separator: ", ")).")
      }
      filter.events.insert(event)
    }
    for (option, value) in [("--spool", spool), ("--destination", destination), ("--name", name)] where value == "" {
      throw ValidationError("\(option) needs a value.")
    }
    filter.spool = spool
    filter.destination = destination
    filter.name = name
    return filter
  }
}
