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
  /// Its arguments.
  var arguments = Arguments()
  /// The person who asked, and the role of the database that they used; nil for an invalid name.
  var by: FleetPerson?
  /// True if its time is over, by the database's clock.
  var isExpired = false

  /// The arguments of a command besides its job.
  struct Arguments: Hashable, Sendable {
    /// The reason of a cancel.
    var reason: String?
    /// True for a cancel that deletes the object too.
    var remove: Bool?
    /// The directory that takes the file of a release.
    var to: String?
    /// `all`, `intake`, `spool.NAME`, `storage.NAME` or `backend.NAME`, of a pause.
    var target: String?

    /// Reads an object of JSON; nil if it cannot be read, or has a member that this version does not know.
    static func read(_ json: [UInt8]) -> Arguments? {
      var arguments = Arguments()
      do throws(JSONFault) {
        for member in try JSONReader.object(json).members {
          switch member.name {
          case "reason": arguments.reason = try member.value.text()
          case "remove": arguments.remove = try member.value.flag()
          case "to": arguments.to = try member.value.text()
          case "target": arguments.target = try member.value.text()
          default: return nil
          }
        }
        return arguments
      } catch {
        return nil
      }
    }
  }

  /// A POST of the daemon's API.
  struct Call: Hashable, Sendable {
    /// The path.
    let path: String
    /// The body, in JSON.
    let body: [UInt8]
  }

  /// Returns the call, or the outcome of a command that is refused without a call.
  func decide(allow: Set<FleetSettings.Action>) -> Result<Call, FleetOutcome> {
    if isExpired { return .failure(FleetOutcome(.expired, "its time was over before the host could carry it out")) }
    guard by != nil else { return .failure(FleetOutcome(.refused, "it does not name the person who asks")) }
    func refuse(_ word: String) -> Result<Call, FleetOutcome> {
      .failure(FleetOutcome(.refused, "\(word) is not allowed from elsewhere on this host (allow in fleet.toml)"))
    }
    var body = JSONText()
    if action == "pause" || action == "resume" {
      guard allow.contains(.pause) else { return refuse(action) }
      guard let target = Pause.Target(fleet: arguments.target ?? "all") else {
        return .failure(FleetOutcome(.refused, "it has a target that this host does not know"))
      }
      body.object { if target != .all { $0.member("destination", target.name) } }
      return .success(Call(path: "/v1/\(action)", body: body.bytes))
    }
    guard let name = JobCommand.Name(rawValue: action), let wanted = FleetSettings.Action(rawValue: action), let job
    else { return .failure(FleetOutcome(.refused, "this host's version does not know the command")) }
    guard allow.contains(wanted) else { return refuse(action) }
    let remove = name == .cancel && arguments.remove == true
    guard !remove || allow.contains(.remove) else { return refuse("remove") }
    body.object { body in
      if let revision { body.member("revision", revision) }
      if name == .cancel, let reason = arguments.reason { body.member("reason", reason) }
      if remove { body.member("remove", true) }
      if name == .release, let to = arguments.to { body.member("to", to) }
    }
    return .success(Call(path: "/v1/jobs/\(job)/\(action)", body: body.bytes))
  }

  /// The event that the daemon records for the command.
  var eventKind: String? {
    switch JobCommand.Name(rawValue: action) {
    case .confirm: JobEvent.Kind.confirmed.rawValue
    case .retry: JobEvent.Kind.retried.rawValue
    case .cancel: JobEvent.Kind.cancelled.rawValue
    case .discard: JobEvent.Kind.discarded.rawValue
    case .release: JobEvent.Kind.released.rawValue
    case nil: nil
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
    var members = try? JSONReader.object(answer)
    func text(_ name: String) -> String? { try? members?.optional(name)?.text() }
    switch status {
    case 200: self.init(.done, text("message") ?? "done", isToldByDaemon: true)
    case 409:
      let words = text("detail") ?? "HTTP status 409"
      guard let state = text("state"), let revision = try? members?.optional("revision")?.integer(),
        var change = try? members?.optional("last_change")?.object(), let at = try? change.optional("at")?.text()
      else {
        self.init(.changed, words, isToldByDaemon: true)
        return
      }
      var caller = try? change.optional("by")?.object()
      let by = (try? caller?.optional("user")?.text()).map { " by \($0)" } ?? ""
      self.init(.changed, "it is \(state) since \(at)\(by) (revision \(revision))")
    case 404: self.init(.unknown, text("detail") ?? "there is no such job", isToldByDaemon: true)
    case 503: return nil
    default: self.init(.refused, text("detail") ?? "HTTP status \(status)", isToldByDaemon: true)
    }
  }
}

extension Pause.Target {
  /// Reads the name of a target that may be paused from elsewhere; nil for any other text.
  init?(fleet name: String) {
    self.init(name: name)
    switch self {
    case .all, .intake: break
    case .spool(let name) where !name.isEmpty: break
    case .destination(let destination) where !destination.name.isEmpty: break
    case .recovered, .spool, .destination, .late: return nil
    }
  }
}
