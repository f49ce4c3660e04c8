import Jobs

/// The terms of a filter for events as text, and their meaning.
enum EventTerms {
  static let names = ["host", "by", "event", "spool", "destination", "name"]
  /// Any person, as a value of `by`.
  static let anyone = "*"
  /// The most characters of a value.
  private static let longest = 1000
  /// The most users of `by`.
  private static let mostUsers = 64

  /// Adds one more value of a term to the filter. `by` and `event` may be repeated, or have several values with commas.
  static func add(_ value: String, as name: String, to filter: inout EventFilter) throws(InvalidRequest) {
    guard value.unicodeScalars.count <= longest else {
      throw InvalidRequest("\(name) has to have at most \(longest) characters")
    }
    guard !value.isEmpty else { throw InvalidRequest("\(name) needs a value") }
    switch name {
    case "host": filter.hosts.formUnion(try FilterTerms.hosts(value))
    case "by": try addUsers(value, &filter)
    case "event": try addEvents(value, &filter)
    case "spool": filter.spool = try FilterTerms.once(filter.spool, value, name)
    case "destination": filter.destination = try FilterTerms.once(filter.destination, value, name)
    case "name": filter.name = try FilterTerms.once(filter.name, value, name)
    default: throw InvalidRequest("\(name) is not known; there are \(names.joined(separator: ", "))")
    }
  }

  /// Returns the terms of a filter without its times, each with its value.
  static func list(_ filter: EventFilter) -> [(name: String, value: String)] {
    var terms: [(name: String, value: String)] = []
    if !filter.hosts.isEmpty { terms.append(("host", filter.hosts.sorted().joined(separator: ","))) }
    switch filter.by {
    case nil: break
    case .anyone: terms.append(("by", anyone))
    case .named(let users): terms.append(("by", users.sorted().joined(separator: ",")))
    }
    if !filter.events.isEmpty { terms.append(("event", filter.events.sorted().joined(separator: ","))) }
    if let spool = filter.spool { terms.append(("spool", spool)) }
    if let destination = filter.destination { terms.append(("destination", destination)) }
    if let name = filter.name { terms.append(("name", name)) }
    return terms
  }

  private static func addUsers(_ value: String, _ filter: inout EventFilter) throws(InvalidRequest) {
    for word in value.split(separator: ",", omittingEmptySubsequences: false).map(String.init) {
      guard !word.isEmpty else { throw InvalidRequest("by has to be a user's name or id, or * for any person") }
      switch filter.by {
      case _ where word == anyone: filter.by = .anyone
      case nil: filter.by = .named([word])
      case .anyone: break
      case .named(let users):
        guard users.count < mostUsers else { throw InvalidRequest("by has to have at most \(mostUsers) users") }
        filter.by = .named(users.union([word]))
      }
    }
  }

  private static func addEvents(_ value: String, _ filter: inout EventFilter) throws(InvalidRequest) {
    for word in value.split(separator: ",", omittingEmptySubsequences: false).map(String.init) {
      guard EventMessage.names.contains(word) else {
        throw InvalidRequest(
          "event \"\(word)\" is not known; it is one of \(EventMessage.names.joined(separator: ", "))")
      }
      filter.events.insert(word)
    }
  }
}
