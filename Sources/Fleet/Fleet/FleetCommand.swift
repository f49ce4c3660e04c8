public import ControlAPI
public import Jobs
public import Settings

/// A command from the fleet's table, to be carried out on this host.
public struct FleetCommand: Hashable, Sendable {
  /// Its number in the table.
  public var id: Int64
  /// The number of the job; nil for a pause.
  public var job: Int64?
  /// The revision that the person saw.
  public var revision: Int64?
  /// The word: a command of jobs, `pause` or `resume`.
  public var action: String
  /// Its arguments: `reason`, `remove`, or `target` of a pause.
  public var arguments: Arguments
  /// The person who asked, and the role of the database that they used; nil for an invalid name.
  public var by: FleetPerson?
  /// True if its time is over, by the database's clock.
  public var isExpired: Bool

  /// The arguments of a command besides its job.
  public struct Arguments: Hashable, Sendable, Codable {
    package var reason: String?
    package var remove: Bool?
    /// `all`, `intake`, `spool.NAME`, `storage.NAME` or `backend.NAME`.
    public var target: String?

    /// Creates arguments.
    public init(reason: String? = nil, remove: Bool? = nil, target: String? = nil) {
      self.reason = reason
      self.remove = remove
      self.target = target
    }
  }

  /// Creates a command.
  public init(
    id: Int64, job: Int64?, revision: Int64?, action: String, arguments: Arguments = Arguments(), by: FleetPerson?,
    isExpired: Bool = false
  ) {
    self.id = id
    self.job = job
    self.revision = revision
    self.action = action
    self.arguments = arguments
    self.by = by
    self.isExpired = isExpired
  }

  /// The call for a command.
  public enum Call: Hashable, Sendable {
    /// A command about one job.
    case job(JobCommand, JobReference)
    /// A pause.
    case pause(Pause.Target)
    /// The end of a pause.
    case resume(Pause.Target)
  }

  /// Returns the call, or the outcome of a command that is refused without a call.
  public func decide(allow: Set<FleetSettings.Action>) -> Result<Call, FleetOutcome> {
    if isExpired { return .failure(FleetOutcome(.expired, "its time was over before the host could carry it out")) }
    guard by != nil else { return .failure(FleetOutcome(.refused, "it does not name the person who asks")) }
    func refuse(_ word: String) -> Result<Call, FleetOutcome> {
      .failure(FleetOutcome(.refused, "\(word) is not allowed from elsewhere on this host (allow in fleet.toml)"))
    }
    if action == "pause" || action == "resume" {
      guard allow.contains(.pause) else { return refuse(action) }
      guard let target = Pause.Target(fleet: arguments.target ?? "all") else {
        return .failure(FleetOutcome(.refused, "it has a target that this host does not know"))
      }
      return .success(action == "pause" ? .pause(target) : .resume(target))
    }
    let unknown = FleetOutcome(.refused, "this host's version does not know the command")
    guard let wanted = FleetSettings.Action(rawValue: action), let job else { return .failure(unknown) }
    guard allow.contains(wanted) else { return refuse(action) }
    let command: JobCommand
    switch wanted {
    case .confirm: command = .confirm(link: nil)
    case .retry: command = .retry
    case .discard: command = .discard
    case .cancel:
      let remove = arguments.remove ?? false
      guard !remove || allow.contains(.remove) else { return refuse("remove") }
      command = .cancel(reason: arguments.reason, remove: remove)
    case .pause, .remove: return .failure(unknown)
    }
    return .success(.job(command, .number(JobNumber(rawValue: job))))
  }
}

/// The outcome of a command.
public struct FleetOutcome: Error, Hashable, Sendable {
  /// The outcomes.
  public enum Kind: String, Sendable, CaseIterable {
    /// It was carried out.
    case done
    /// The job had changed since the person saw it.
    case changed
    /// The host does not allow it, or it does not make sense there.
    case refused
    /// Its time was over.
    case expired
    /// There is no such job.
    case unknown
  }

  /// The outcome.
  public var kind: Kind
  /// The words for the person who asked.
  public var words: String
  /// True for words of the daemon, which may name the file.
  private var isToldByDaemon: Bool

  /// Creates an outcome.
  public init(_ kind: Kind, _ words: String, isToldByDaemon: Bool = false) {
    self.kind = kind
    self.isToldByDaemon = isToldByDaemon
    self.words = String(words.prefix(Self.longestWords)).storable
  }

  /// The most characters of the words: the table takes a few more.
  static let longestWords = 10_000

  /// The outcome without the daemon's words, for a host that does not show names.
  var bare: FleetOutcome {
    isToldByDaemon ? FleetOutcome(kind, kind == .done ? "done" : "its host says why, and keeps names to itself") : self
  }

  /// Returns the outcome for an answer of the daemon other than a success; nil if the command has to wait, because the daemon did
  /// not answer.
  public init?(_ error: ControlError) {
    guard case .problem(let problem) = error else { return nil }
    let words = problem.detail ?? problem.title
    switch problem.status {
    case 409:
      guard let state = problem.state, let revision = problem.revision, let change = problem.lastChange else {
        self.init(.changed, words, isToldByDaemon: true)
        return
      }
      let by = change.by.map { " by \($0.user)" } ?? ""
      self.init(
        .changed, "it is \(state.rawValue) since \(change.at.timestamp.rfc3339)\(by) (revision \(revision))")
    case 404: self.init(.unknown, words, isToldByDaemon: true)
    case 503: return nil
    default: self.init(.refused, words, isToldByDaemon: true)
    }
  }
}

extension Pause.Target {
  /// Reads the name of a target that may be paused from elsewhere; nil for any other text.
  package init?(fleet name: String) {
    self.init(name: name)
    switch self {
    case .all, .intake: break
    case .spool(let name) where !name.isEmpty: break
    case .destination(let destination) where !destination.name.isEmpty: break
    case .recovered, .spool, .destination, .late: return nil
    }
  }
}
