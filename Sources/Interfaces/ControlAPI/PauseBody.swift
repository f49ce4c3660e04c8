public import Jobs
public import Messages

/// The body of `pause` and `resume`: `{}` for all jobs, or `{"destination":"storage.main"}` with the name of a target. Older
/// forms are one of `spool`, `storage`, `backend` with a name, and `{"intake":true}`. An empty body is an error, so that all jobs
/// are meant only on purpose.
public struct PauseBody: Hashable, Sendable {
  /// The target to pause or resume.
  public var target: Pause.Target

  /// The hosts of a fleet that are meant; empty for all.
  public var hosts: Set<String>

  /// Creates the body for a target.
  public init(_ target: Pause.Target, on hosts: Set<String> = []) { (self.target, self.hosts) = (target, hosts) }

  /// Reads a body.
  ///
  /// - Throws: ``InvalidRequest`` that names the member.
  public init(parsing bytes: [UInt8]) throws(InvalidRequest) {
    guard !bytes.isEmpty else {
      throw InvalidRequest(
        "Say what is meant: {} for all jobs, or {\"spool\":\"NAME\"}, {\"storage\":\"NAME\"}, {\"backend\":\"NAME\"} "
          + "or {\"intake\":true}")
    }
    let members = try BodyMembers(bytes, known: ["host", "destination", "spool", "storage", "backend", "intake"])
    hosts = if let host = try members.text("host") { Set(try FilterTerms.hosts(host)) } else { [] }
    let (destination, spool) = (try members.text("destination"), try members.text("spool"))
    let (storage, backend) = (try members.text("storage"), try members.text("backend"))
    switch (destination, spool, storage, backend, try members.flag("intake")) {
    case (nil, nil, nil, nil, nil): target = .all
    case (let name?, nil, nil, nil, nil):
      guard let named = Pause.Target(name: name) else {
        throw InvalidRequest(
          "destination \"\(name)\" is not known: it is all, intake, recovered, spool.NAME, storage.NAME or backend.NAME"
        )
      }
      target = named
    case (nil, let name?, nil, nil, nil): target = .spool(name)
    case (nil, nil, let name?, nil, nil): target = .storage(name)
    case (nil, nil, nil, let name?, nil): target = .backend(name)
    case (nil, nil, nil, nil, true?): target = .intake
    case (nil, nil, nil, nil, false?): throw InvalidRequest("intake can only be true: leave it out otherwise")
    default: throw Self.oneCallForEach
    }
  }

  private static let oneCallForEach = InvalidRequest(
    "destination, spool, storage, backend and intake exclude each other: one call for each")
}

extension PauseBody: Encodable {
  private enum CodingKeys: CodingKey { case host, destination }

  /// Writes the members that name the hosts and the target; none for all.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: CodingKeys.self)
    if !hosts.isEmpty { try container.encode(hosts.sorted().joined(separator: ","), forKey: .host) }
    if target != .all { try container.encode(target.name, forKey: .destination) }
  }
}

/// The answer to `pause` and `resume`: everything that is paused now, and a sentence for people.
public struct PauseAnswer: Hashable, Sendable, Codable {
  /// The present pauses, the oldest first.
  public var pauses: [HoldMessage]
  /// The result as a sentence, e.g. `storage.main paused by anna`.
  public var message: String
  /// The code and the arguments of ``message``; nil for words that have none.
  @Nullable public var messageSaid: Message?

  enum CodingKeys: String, CodingKey {
    case pauses, message
    case messageSaid = "message_said"
  }

  /// Creates an answer.
  public init(pauses: [HoldMessage], message: Message) {
    self.pauses = pauses
    self.message = message.text
    messageSaid = message.coded
  }
}
