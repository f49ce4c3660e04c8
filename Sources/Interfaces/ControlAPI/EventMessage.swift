public import Jobs
public import Messages

/// An event, as the stream of events carries it.
public struct EventMessage: Hashable, Sendable, Codable {
  /// The names of all events that the stream can carry: those of jobs, then those of gates, spools, the ledger and the
  /// configuration.
  public static let names: [String] = {
    let ofJobs = JobEvent.Kind.allCases.map(\.rawValue)
    return ofJobs + Occurrence.Kind.allCases.map(\.rawValue).filter { !ofJobs.contains($0) }
  }()

  /// The event's number in the ledger: the member `id`, and the stream's own `id`.
  public var sequence: Int64 = 0
  /// The kind of event, one of ``names``.
  public var event: String
  /// The time of the event.
  public var at: MessageTime
  /// The event as a sentence for people. Escape it before showing it.
  public var message: String
  /// The code and the arguments of ``message``; nil for words that have none.
  @Nullable public var messageSaid: Message?
  /// The step at which it happened; nil if no job is concerned.
  @Nullable public var step: Step?
  /// The job right after the change; nil for an event of a gate, a spool or the ledger.
  @Nullable public var job: JobMessage?
  /// The user who asked for it, if a person did.
  @Nullable public var by: CallerMessage?
  /// The gate's destination, e.g. `storage.main`.
  @Nullable public var destination: String?
  /// The spool, in an event of a spool.
  @Nullable public var spool: String?
  /// The reason: a person's words, or the reason of a gate, a spool or the ledger.
  @Nullable public var reason: String?
  /// The code and the arguments of ``reason``; nil for words that have none.
  @Nullable public var reasonSaid: Message?
  /// The time until which a gate stays closed.
  @Nullable public var until: MessageTime?

  enum CodingKeys: String, CodingKey {
    case sequence = "id"
    case event, at, message, step, job, by, destination, spool, reason, until
    case messageSaid = "message_said"
    case reasonSaid = "reason_said"
  }

  /// Creates the message of a job's event; `job` is the message of the job right after the change.
  public init(_ event: JobEvent, job: JobMessage) {
    self.sequence = event.sequence
    self.event = event.kind.rawValue
    self.at = MessageTime(event.at)
    let said = event.said
    self.message = said.text
    self.messageSaid = said.coded
    self.step = event.step
    self.job = job
    self.by = event.by.map(CallerMessage.init)
    self.destination = nil
    self.spool = nil
    self.reason = event.reason?.text
    self.reasonSaid = event.reason?.coded
    self.until = nil
  }

  /// Creates the message of an event of a gate, a spool or the ledger.
  public init(_ occurrence: Occurrence) {
    self.sequence = occurrence.sequence
    self.event = occurrence.kind.rawValue
    self.at = MessageTime(occurrence.at)
    self.message = occurrence.message
    self.messageSaid = occurrence.said.coded
    self.step = nil
    self.job = nil
    self.by = occurrence.by.map(CallerMessage.init)
    let (destination, spool): (String?, String?) =
      switch occurrence.subject {
      case .target(let target): (target.name, nil)
      case .spool(let name): (nil, name)
      case .ledger, .configuration: (nil, nil)
      }
    self.destination = destination
    self.spool = spool
    self.reason = occurrence.reason?.text
    self.reasonSaid = occurrence.reason?.coded
    self.until = MessageTime(occurrence.until)
  }
}
