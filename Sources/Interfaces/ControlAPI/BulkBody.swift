public import Jobs

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
    let members =
      ["all", "jobs", "digest"] + FilterTerms.names
      + CommandBody.members(of: name).filter { $0 != "link" && $0 != "to" }
    let raw = try BodyReader.read(RawBody.self, from: bytes, members: members)
    var filter = JobFilter()
    for (name, value) in raw.terms { try FilterTerms.add(value, as: name, to: &filter, now: now) }
    switch (raw.all ?? false, raw.jobs, filter.isEmpty) {
    case (true, nil, true): selection = .all
    case (false, let jobs?, true): selection = .seen(try jobs.map(Self.seen))
    case (false, nil, false): selection = try Self.found(filter, raw.digest)
    case (false, nil, true): throw Self.nothingSaid
    case (true, _, false), (true, .some, true), (false, .some, false):
      throw InvalidRequest("all, jobs and a filter exclude each other")
    }
    if raw.digest != nil, filter.like == nil { throw InvalidRequest("digest goes with like, the number of the group") }
    if let reason = raw.reason { try CommandBody.check(reason: reason) }
    reason = raw.reason
    remove = raw.remove
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

  private static func seen(_ named: RawBody.Reference) throws(InvalidRequest) -> SeenJob {
    guard let reference = JobReference(named.text) else {
      throw InvalidRequest("jobs has \"\(named.text)\", which is neither a number nor an id")
    }
    if let revision = named.revision { try CommandBody.check(revision: revision) }
    return SeenJob(reference, revision: named.revision)
  }
}

extension BulkBody: Encodable {
  /// Writes the members that have a value.
  public func encode(to encoder: any Encoder) throws {
    var raw = RawBody()
    switch selection {
    case .all: raw.all = true
    case .seen(let jobs): raw.jobs = jobs.map { RawBody.Reference(text: $0.job.description, revision: $0.revision) }
    case .filter(let filter): raw.terms = FilterTerms.list(filter)
    case .group(let filter, let digest):
      raw.terms = FilterTerms.list(filter)
      raw.digest = digest.description
    }
    raw.reason = reason
    raw.remove = remove
    try raw.encode(to: encoder)
  }
}

/// The members of a body for many jobs, as they were sent.
private struct RawBody: Codable {
  /// A number or an id, or an object with one of them and a revision.
  struct Reference: Codable {
    var text: String
    var revision: Int64?

    enum CodingKeys: String, CodingKey { case job, revision }

    init(text: String, revision: Int64?) {
      self.text = text
      self.revision = revision
    }

    init(from decoder: any Decoder) throws {
      // Ignored: if it is no object, it has to be a text, and reading that reports what is wrong.
      guard let object = try? decoder.container(keyedBy: AnyMember.self) else {
        text = try Self.text(decoder.singleValueContainer())
        return
      }
      if let unknown = object.allKeys.first(where: { CodingKeys(stringValue: $0.stringValue) == nil }) {
        throw InvalidRequest("member \"\(unknown.stringValue)\" of jobs is not known; there are job, revision")
      }
      let container = try decoder.container(keyedBy: CodingKeys.self)
      text = try Self.text(try container.superDecoder(forKey: .job).singleValueContainer())
      // null is refused as a revision: it may be a value lost by mistake, and the job would be changed in whatever state it is
      if container.contains(.revision) { revision = try container.decode(Int64.self, forKey: .revision) }
    }

    private static func text(_ container: any SingleValueDecodingContainer) throws -> String {
      do {
        return String(try container.decode(Int64.self))
      } catch DecodingError.typeMismatch {
        return try container.decode(String.self)
      }
    }

    func encode(to encoder: any Encoder) throws {
      if let revision {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(text, forKey: .job)
        try container.encode(revision, forKey: .revision)
      } else {
        var container = encoder.singleValueContainer()
        try container.encode(text)
      }
    }
  }

  private struct AnyMember: CodingKey {
    let stringValue: String
    var intValue: Int? { nil }
    init?(stringValue: String) { self.stringValue = stringValue }
    init?(intValue: Int) { nil }
  }

  var all: Bool?
  var jobs: [Reference]?
  var reason: String?
  var remove: Bool?
  var digest: String?
  var terms: [(name: String, value: String)] = []

  enum CodingKeys: String, CodingKey {
    case all, jobs, reason, remove, digest, state, step, spool, name, error, since, until, like
  }

  init() {}

  init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    all = try container.decodeIfPresent(Bool.self, forKey: .all)
    jobs = try container.decodeIfPresent([Reference].self, forKey: .jobs)
    reason = try container.decodeIfPresent(String.self, forKey: .reason)
    remove = try container.decodeIfPresent(Bool.self, forKey: .remove)
    digest = try container.decodeIfPresent(String.self, forKey: .digest)
    for key in container.allKeys where FilterTerms.names.contains(key.rawValue) {
      if try container.decodeNil(forKey: key) { continue }
      terms += try Self.values(container, key).map { (key.rawValue, $0) }
    }
  }

  func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: CodingKeys.self)
    try container.encodeIfPresent(all, forKey: .all)
    try container.encodeIfPresent(jobs, forKey: .jobs)
    try container.encodeIfPresent(reason, forKey: .reason)
    try container.encodeIfPresent(remove, forKey: .remove)
    try container.encodeIfPresent(digest, forKey: .digest)
    for (name, value) in terms {
      guard let key = CodingKeys(rawValue: name) else { continue }
      try container.encode(value, forKey: key)
    }
  }

  /// Reads a text, a list of texts, or a number where one is meant.
  private static func values(_ container: KeyedDecodingContainer<CodingKeys>, _ key: CodingKeys) throws -> [String] {
    // Ignored: if it is no number, the code below reads it, or reports what is wrong.
    if key == .like, let number = try? container.decode(Int64.self, forKey: key) { return [String(number)] }
    do {
      return [try container.decode(String.self, forKey: key)]
    } catch DecodingError.typeMismatch {
      let values = try container.decode([String].self, forKey: key)
      guard !values.isEmpty else { throw InvalidRequest("\(key.rawValue) needs a value") }
      return values
    }
  }
}
