public import Jobs
import Messages

/// The body of a command about many jobs: `{"all":true}`, `{"jobs":[…]}`, or a filter as in the list.
///
/// A job is a number, an id, or `{"job":…,"revision":…}`: then it must still have that revision. A filter with `like` means a
/// group, and comes with the `digest` that was shown with the group.
public struct BulkBody: Hashable, Sendable {
  /// The jobs that the command is about.
  public var selection: JobSelection
  /// The command; the link of a confirm is not sent.
  public var command: JobCommand

  /// Creates the body for a command and the jobs that it is about.
  public init(_ command: JobCommand, _ selection: JobSelection) {
    (self.command, self.selection) = (command, selection)
  }

  /// Reads the body of a command by its name.
  /// - Parameter now: the time that a relative `since` or `until` counts from.
  /// - Throws: ``InvalidRequest`` that names the member; also if nothing says which jobs are meant.
  public init(parsing bytes: [UInt8], for name: JobCommand.Name, now: Timestamp) throws(InvalidRequest) {
    guard !bytes.isEmpty else { throw Self.nothingSaid }
    let options = name.isForMany && name != .confirm ? name.members : []
    let members = try BodyMembers(bytes, known: ["all", "jobs", "digest"] + JobFilter.names + options)
    var terms: [(name: String, value: [UInt8])] = []
    for term in JobFilter.names { terms += try Self.values(of: term, members).map { (term, Array($0.utf8)) } }
    let filter = try JobFilter.read(terms, now)
    let digest: GroupDigest? = try members.value("digest")
    let jobs: [SeenJob]? = try members.value("jobs")
    switch (try members.value("all") ?? false, jobs, filter.isEmpty) {
    case (true, nil, true): selection = .all
    case (false, let jobs?, true): selection = .seen(jobs)
    case (false, nil, false): selection = try Self.found(filter, digest)
    case (false, nil, true): throw Self.nothingSaid
    case (true, _, false), (true, .some, true), (false, .some, false):
      throw InvalidRequest(.allJobsOrFilter)
    }
    if digest != nil, filter.like == nil { throw InvalidRequest(.likeWithDigest) }
    guard name.isForMany else { throw InvalidRequest(.releaseOfOne) }
    command = try JobCommand(name, members)
  }

  private static let nothingSaid = InvalidRequest(
    .sayWhich(examples: #"{"all":true}, {"jobs":[1,2]}, {"state":"awaiting-confirmation"}"#))

  private static func found(_ filter: JobFilter, _ digest: GroupDigest?) throws(InvalidRequest) -> JobSelection {
    guard filter.like != nil else { return .filter(filter) }
    guard let digest else { throw InvalidRequest(.likeWithDigest) }
    return .group(filter, digest)
  }

  /// Returns the values of a term of the filter: a text, a list of texts, or a number where one is meant.
  private static func values(of name: String, _ members: BodyMembers) throws(InvalidRequest) -> [String] {
    let values = try members.value(name) { (node: JSONNode) throws(JSONFault) -> [String] in
      switch node {
      case .number where name == "like": return [String(try node.integer())]
      case .array(let elements):
        var texts: [String] = []
        for element in elements { texts.append(try element.text()) }
        return texts
      default: return [try node.text()]
      }
    }
    guard let values else { return [] }
    guard !values.isEmpty else { throw InvalidRequest(.valueEmpty(name: name)) }
    return values
  }
}

extension BulkBody {
  package var json: [UInt8] {
    var text = JSONText()
    text.object { text in
      var filter: JobFilter?
      switch selection {
      case .all: text.member("all", true)
      case .seen(let jobs): text.member("jobs", value: jobs)
      case .filter(let terms): filter = terms
      case .group(let terms, let digest):
        filter = terms
        text.member("digest", digest.description)
      }
      for term in filter?.written ?? [] { text.member(term.name, String(decoding: term.value, as: UTF8.self)) }
      if command.name != .confirm { command.writeMembers(into: &text) }
    }
    return text.bytes
  }
}
