public import Jobs
import Messages

/// The body of a command about many jobs: `{"all":true}`, `{"jobs":[…]}`, or a filter as in the list.
///
/// A job is a number, an id, or `{"job":…,"revision":…}`: then it must still have that revision. A filter with `like` means a
/// group, and comes with the `digest` that was shown with the group.
public struct BulkBody: Hashable, Sendable {
  /// The jobs that the command is about.
  public var selection: JobSelection
  /// With cancel: the reason.
  public var reason: String?
  /// With cancel: delete the objects too.
  public var remove: Bool?

  /// Creates the body for a command and the jobs that it is about.
  public init(_ command: JobCommand, _ selection: JobSelection) {
    self.selection = selection
    if case .cancel(let reason, let remove) = command {
      self.reason = reason
      if remove { self.remove = true }
    }
  }

  /// Reads the body of a command by its name.
  ///
  /// - Parameter now: the time that a relative `since` or `until` counts from.
  /// - Throws: ``InvalidRequest`` that names the member; also if nothing says which jobs are meant.
  public init(parsing bytes: [UInt8], for name: JobCommand.Name, now: Timestamp) throws(InvalidRequest) {
    guard !bytes.isEmpty else { throw Self.nothingSaid }
    let known =
      ["all", "jobs", "digest"] + FilterTerms.names
      + CommandBody.members(of: name).filter { $0 != "link" && $0 != "to" }
    let members = try BodyMembers(bytes, known: known)
    var filter = JobFilter()
    for name in FilterTerms.names {
      for value in try Self.values(of: name, members) { try FilterTerms.add(value, as: name, to: &filter, now: now) }
    }
    let digest = try members.text("digest")
    switch (try members.flag("all") ?? false, try Self.seen(members), filter.isEmpty) {
    case (true, nil, true): selection = .all
    case (false, let jobs?, true): selection = .seen(jobs)
    case (false, nil, false): selection = try Self.found(filter, digest)
    case (false, nil, true): throw Self.nothingSaid
    case (true, _, false), (true, .some, true), (false, .some, false):
      throw InvalidRequest("all, jobs and a filter exclude each other")
    }
    if digest != nil, filter.like == nil { throw InvalidRequest("digest goes with like, the number of the group") }
    reason = try members.text("reason")
    remove = try members.flag("remove")
    if let reason { try CommandBody.check(reason: reason) }
  }

  /// Returns the command that the body belongs to.
  ///
  /// - Throws: ``InvalidRequest`` for a command that is about one job at a time.
  public func command(_ name: JobCommand.Name) throws(InvalidRequest) -> JobCommand {
    switch name {
    case .confirm: .confirm(link: nil)
    case .cancel: .cancel(reason: reason, remove: remove ?? false)
    case .retry: .retry
    case .release: throw InvalidRequest("release is for one job at a time")
    case .discard: .discard
    }
  }

  private static let nothingSaid = InvalidRequest(
    "Say which jobs are meant: {\"all\":true}, {\"jobs\":[1,2]}, or a filter such as {\"state\":\"awaiting-confirmation\"}"
  )

  private static func found(_ filter: JobFilter, _ digest: String?) throws(InvalidRequest) -> JobSelection {
    guard filter.like != nil else { return .filter(filter) }
    guard let digest else {
      throw InvalidRequest(
        "like needs the digest of the group as it was shown: GET /v1/groups has it beside the number")
    }
    guard let digest = GroupDigest(digest) else {
      throw InvalidRequest("digest is not one that GET /v1/groups gives")
    }
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
    guard !values.isEmpty else { throw InvalidRequest("\(name) needs a value") }
    return values
  }

  /// Returns the jobs that are named; nil if the body has no list of them.
  private static func seen(_ members: BodyMembers) throws(InvalidRequest) -> [SeenJob]? {
    let nodes = try members.value("jobs") { (node: JSONNode) throws(JSONFault) -> [JSONNode] in try node.array() }
    guard let nodes else { return nil }
    var jobs: [SeenJob] = []
    for node in nodes { jobs.append(try seen(node)) }
    return jobs
  }

  private static func seen(_ node: JSONNode) throws(InvalidRequest) -> SeenJob {
    guard case .object(let object) = node else { return SeenJob(try reference(node), revision: nil) }
    let members = try BodyMembers(object, known: ["job", "revision"])
    guard let job = try members.value("job", { $0 }) else { throw InvalidRequest("job is missing in jobs") }
    let revision = try members.number("revision")
    if let revision { try CommandBody.check(revision: revision) }
    return SeenJob(try reference(job), revision: revision)
  }

  /// Reads a number or an id.
  private static func reference(_ node: JSONNode) throws(InvalidRequest) -> JobReference {
    let text: String
    switch node {
    case .text(let id): text = id
    case .number(let digits): text = (try? node.integer()).map { String($0) } ?? digits
    case .null, .flag, .array, .object: throw InvalidRequest("jobs has something that is neither a number nor an id")
    }
    guard let reference = JobReference(text) else {
      throw InvalidRequest("jobs has \"\(text)\", which is neither a number nor an id")
    }
    return reference
  }
}

extension BulkBody {
  /// The body as JSON: the members that have a value.
  package var json: [UInt8] {
    var text = JSONText()
    text.object { text in
      var filter: JobFilter?
      switch selection {
      case .all: text.member("all", true)
      case .seen(let jobs):
        text.member(
          "jobs",
          array: { text in
            for seen in jobs {
              text.object { text in
                text.member("job", seen.job.description)
                if let revision = seen.revision { text.member("revision", revision) }
              }
            }
          })
      case .filter(let terms): filter = terms
      case .group(let terms, let digest):
        filter = terms
        text.member("digest", digest.description)
      }
      let terms = filter.map { FilterTerms.list($0) } ?? []
      for term in terms { text.member(term.name, term.value) }
      if let reason { text.member("reason", reason) }
      if let remove { text.member("remove", remove) }
    }
    return text.bytes
  }
}
