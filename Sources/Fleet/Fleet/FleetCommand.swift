import ControlAPI
import Jobs
import Messages
import Settings

struct FleetCommand: Hashable, Sendable {
  var id: Int64
  /// The number of the job; nil for an invalid row.
  var job: Int64?
  /// The id of the job, if the row has it: a ledger that was lost gives its numbers again, to other files.
  var jobID: String?
  var revision: Int64?
  /// The word: a command of jobs.
  var action: String
  /// The body of the daemon's call, without the revision.
  var arguments: [UInt8] = []
  /// The person who asked, and the role of the database that they used; nil for an invalid name.
  var by: FleetPerson?
  var isExpired = false

  typealias Call = (path: String, body: [UInt8])

  /// The job at its daemon; nil for an invalid row.
  var reference: JobReference? {
    if let jobID { return JobID(jobID).map { .id($0) } }
    return job.map { .number(JobNumber(rawValue: $0)) }
  }

  /// Returns the call.
  /// - Throws: ``InvalidRequest`` for a command that is refused without a call.
  func call(allow: Set<FleetSettings.Action>) throws(InvalidRequest) -> Call {
    guard !isExpired else { throw InvalidRequest(.fleetExpired) }
    guard by != nil else { throw InvalidRequest(.fleetNameless) }
    guard let name = JobCommand.Name(rawValue: action), let wanted = FleetSettings.Action(rawValue: action),
      let reference
    else { throw InvalidRequest(.fleetCommandUnknown) }
    try Self.require(wanted, in: allow)
    // what cannot be read is refused, not carried out in part
    let command = try CommandBody(parsing: arguments, for: name).command
    switch command {
    case .cancel(_, remove: true): try Self.require(.remove, in: allow)
    // Only the host's own people may decide where a file goes, and which link is true.
    case .release, .confirm(link: .some): throw InvalidRequest(.fleetCommandUnknown)
    case .confirm, .cancel, .retry, .discard: break
    }
    return ("/v1/jobs/\(reference)/\(action)", CommandBody(command, revision: revision).json)
  }

  private static func require(
    _ action: FleetSettings.Action, in allow: Set<FleetSettings.Action>
  ) throws(InvalidRequest) {
    guard allow.contains(action) else { throw InvalidRequest(.fleetForbidden(action: action.rawValue)) }
  }
}

struct FleetOutcome: Hashable, Sendable {
  enum Kind: String, Sendable {
    case done
    /// The job had changed since the person saw it.
    case changed
    /// The host does not allow it, it does not make sense there, or its time was over.
    case refused
  }

  var kind: Kind
  var said: Message

  /// The most characters (code points) of the stored words.
  private static let longest = 10_000

  init(_ kind: Kind, _ said: Message) { (self.kind, self.said) = (kind, said) }

  /// Creates the outcome for an answer of the daemon; nil if the command has to wait, because the daemon is not ready.
  /// - Parameter names: false to leave out the daemon's words, which may name the file.
  init?(status: Int, answer: [UInt8], showing names: Bool = true) {
    guard status != 503 else { return nil }
    // Ignored: the answer is not one of ours, so only its status is known.
    let problem = try? ProblemDocument(bytes: answer)
    let done = (try? JSONReader.object(answer))?.members.first { $0.name == "message" }
    let told = status == 200 ? done.flatMap { try? Message(json: $0.value) } : problem?.detail
    let said = told.map { names ? $0 : $0.withoutWords }
    switch status {
    case 200: self.init(.done, said ?? .fleetDone)
    case 409:
      self.init(.changed, said ?? .fleetUnclear(status: status))
      if let state = problem?.state, let revision = problem?.revision, let change = problem?.lastChange,
        let by = change.by
      {
        self.said = .fleetChanged(
          state: state.rawValue, at: change.at.rfc3339Milliseconds, user: by.user, revision: revision)
      }
    default: self.init(.refused, said ?? .fleetUnclear(status: status))
    }
  }

  var stored: String {
    let stored = said.stored
    guard stored.unicodeScalars.count > Self.longest else { return stored.storable }
    return Message.text(String(said.text.unicodeScalars.prefix(1000))).stored.storable
  }
}
