import Jobs

/// The terms of a filter as text, for query and body, and their meaning.
enum FilterTerms {
  static let names = ["host", "state", "step", "spool", "name", "error", "since", "until", "like"]
  /// The most characters of a text that is looked for.
  static let longestText = 1000

  /// Adds one more value of a term to the filter.
  static func add(_ value: String, as name: String, to filter: inout JobFilter, now: Timestamp) throws(InvalidRequest) {
    // a variable that is empty by mistake must not match all jobs
    guard !value.isEmpty else { throw InvalidRequest("\(name) needs a value") }
    switch name {
    case "host": filter.hosts.formUnion(try hosts(value))
    case "state": try addStates(value, &filter)
    case "step": filter.step = try once(filter.step, try step(value), name)
    case "spool": filter.spool = try once(filter.spool, try text(value, name), name)
    case "name": filter.name = try once(filter.name, try text(value, name), name)
    case "error": filter.error = try once(filter.error, try text(value, name), name)
    case "like": filter.like = try once(filter.like, try number(value), name)
    case "since": filter.since = try once(filter.since, try time(value, name, now), name)
    case "until": filter.until = try once(filter.until, try time(value, name, now), name)
    default: throw InvalidRequest("\(name) is not known; a filter has \(names.joined(separator: ", "))")
    }
  }

  /// Returns the terms of a filter, each with its value.
  static func list(_ filter: JobFilter) -> [(name: String, value: String)] {
    var terms: [(name: String, value: String)] = []
    if !filter.hosts.isEmpty { terms.append(("host", filter.hosts.sorted().joined(separator: ","))) }
    if !filter.states.isEmpty {
      terms.append(("state", filter.states.map(\.rawValue).sorted().joined(separator: ",")))
    }
    if let step = filter.step { terms.append(("step", step.rawValue)) }
    if let spool = filter.spool { terms.append(("spool", spool)) }
    if let name = filter.name { terms.append(("name", name)) }
    if let error = filter.error { terms.append(("error", error)) }
    if let since = filter.since { terms.append(("since", since.rfc3339Milliseconds)) }
    if let until = filter.until { terms.append(("until", until.rfc3339Milliseconds)) }
    if let like = filter.like { terms.append(("like", like.description)) }
    return terms
  }

  /// Reads names of hosts with commas between.
  static func hosts(_ value: String) throws(InvalidRequest) -> [String] {
    let names = try text(value, "host").split(separator: ",", omittingEmptySubsequences: false).map(String.init)
    guard names.allSatisfy({ !$0.isEmpty }) else { throw InvalidRequest("host has to be the name of a host") }
    return names
  }

  private static func addStates(_ value: String, _ filter: inout JobFilter) throws(InvalidRequest) {
    for word in value.split(separator: ",", omittingEmptySubsequences: false) {
      guard let state = JobState(rawValue: String(word)) else {
        throw InvalidRequest(
          "state \"\(word)\" is not known; it is one of \(JobState.allCases.map(\.rawValue).joined(separator: ", "))")
      }
      filter.states.insert(state)
    }
  }

  private static func step(_ value: String) throws(InvalidRequest) -> Step {
    guard let step = Step(rawValue: value) else {
      throw InvalidRequest("step \"\(value)\" is not known; it is upload or register")
    }
    return step
  }

  private static func text(_ value: String, _ name: String) throws(InvalidRequest) -> String {
    guard value.unicodeScalars.count <= longestText else {
      throw InvalidRequest("\(name) has to have at most \(longestText) characters")
    }
    return value
  }

  private static func number(_ value: String) throws(InvalidRequest) -> JobNumber {
    guard case .number(let number)? = JobReference(value) else {
      throw InvalidRequest("like \"\(value)\" is not the number of a job")
    }
    return number
  }

  /// Reads a time: a date, or a span before now.
  static func time(_ value: String, _ name: String, _ now: Timestamp) throws(InvalidRequest) -> Timestamp {
    guard let time = RelativeTime.read(value, now: now) else {
      throw InvalidRequest(
        "\(name) \"\(value)\" is not a time; give \(RelativeTime.forms)")
    }
    return time
  }

  /// Returns a value that may be given only once.
  static func once<Value>(_ old: Value?, _ new: Value, _ name: String) throws(InvalidRequest) -> Value {
    guard old == nil else { throw InvalidRequest("\(name) is given more than once") }
    return new
  }
}
