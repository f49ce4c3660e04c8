import ControlAPI
import Jobs
import Messages
import Settings

/// A command from the fleet's table, to be carried out on this host.
struct FleetCommand: Hashable, Sendable {
  /// Its number in the table.
  var id: Int64
  /// The number of the job; nil for a pause.
  var job: Int64?
  /// The revision that the person saw.
  var revision: Int64?
  /// The word: a command of jobs, `pause` or `resume`.
  var action: String
  /// The body of the daemon's call, without the revision.
  var arguments: [UInt8] = []
  /// The person who asked, and the role of the database that they used; nil for an invalid name.
  var by: FleetPerson?
  /// True if its time is over, by the database's clock.
  var isExpired = false

  /// A POST of the daemon's API.
  typealias Call = (path: String, body: [UInt8])

  /// Returns the call, or the outcome of a command that is refused without a call.
  func decide(allow: Set<FleetSettings.Action>) -> Result<Call, FleetOutcome> {
    if isExpired { return .failure(FleetOutcome(.expired, "its time was over before the host could carry it out")) }
    guard by != nil else { return .failure(FleetOutcome(.refused, "it does not name the person who asks")) }
    func refuse(_ word: String) -> Result<Call, FleetOutcome> {
      .failure(FleetOutcome(.refused, "\(word) is not allowed from elsewhere on this host (allow in fleet.toml)"))
    }
    do throws(InvalidRequest) {
      if action == "pause" || action == "resume" {
        guard allow.contains(.pause) else { return refuse(action) }
        let body = try PauseBody(parsing: arguments)
        guard body.target.isOfElsewhere, body.hosts.isEmpty else {
          return .failure(FleetOutcome(.refused, "it has a target that this host does not know"))
        }
        return .success(("/v1/\(action)", body.json))
      }
      guard let name = JobCommand.Name(rawValue: action), let wanted = FleetSettings.Action(rawValue: action), let job
      else { return .failure(FleetOutcome(.refused, "this host's version does not know the command")) }
      guard allow.contains(wanted) else { return refuse(action) }
      // what cannot be read is refused, not carried out in part
      let command = try CommandBody(parsing: arguments, for: name).command
      switch command {
      case .cancel(_, remove: true) where !allow.contains(.remove): return refuse("remove")
      case .confirm(link: .some): return refuse("a link")
      case .confirm, .cancel, .retry, .release, .discard: break
      }
      return .success(("/v1/jobs/\(job)/\(action)", CommandBody(command, revision: revision).json))
    } catch {
      return .failure(FleetOutcome(.refused, "this host's version does not understand the command: \(error)"))
    }
  }
}

/// The outcome of a command.
struct FleetOutcome: Error, Hashable, Sendable {
  /// The outcomes.
  enum Kind: String, Sendable, CaseIterable {
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
  var kind: Kind
  /// The words for the person who asked.
  var words: String
  /// True for words of the daemon, which may name the file.
  private var isToldByDaemon: Bool

  /// Creates an outcome.
  init(_ kind: Kind, _ words: String, isToldByDaemon: Bool = false) {
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

  /// Returns the outcome for an answer of the daemon; nil if the command has to wait, because the daemon is not ready.
  init?(status: Int, answer: [UInt8]) {
    // Ignored: the answer is not one of ours, so only its status is known.
    let problem = try? ProblemDocument(bytes: answer)
    let words = problem?.detail?.text
    switch status {
    case 200:
      var members = try? JSONReader.object(answer)
      self.init(.done, (try? members?.optional("message")?.text()) ?? "done", isToldByDaemon: true)
    case 409:
      guard let state = problem?.state, let revision = problem?.revision, let change = problem?.lastChange else {
        self.init(.changed, words ?? "HTTP status 409", isToldByDaemon: true)
        return
      }
      let by = change.by.map { " by \($0.user)" } ?? ""
      self.init(
        .changed,
        "it is \(state.rawValue) since \(change.at.rfc3339Milliseconds)\(by) (revision \(revision))")
    case 404: self.init(.unknown, words ?? "there is no such job", isToldByDaemon: true)
    case 503: return nil
    default: self.init(.refused, words ?? "HTTP status \(status)", isToldByDaemon: true)
    }
  }
}

extension Pause.Target {
  /// True if it may be paused from elsewhere.
  var isOfElsewhere: Bool {
    switch self {
    case .all, .intake, .spool, .destination: true
    case .recovered, .late: false
    }
  }
}
