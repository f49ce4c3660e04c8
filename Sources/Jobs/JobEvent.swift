/// A change of a job as a value. Journal, event stream, metrics and status line are readers of the same events.
public struct JobEvent: Hashable, Sendable {
  /// What happened; the raw value is the name that journal and stream use.
  public enum Kind: String, Sendable, CaseIterable {
    /// A file became a job.
    case admitted
    /// Step 1 is done and the link durable.
    case uploaded
    /// Both steps are done and the receipt durable.
    case registered
    /// The job will be tried again by itself, or waits for a key or the network.
    case deferred
    /// The operator is asked.
    case question
    /// The operator said: try again.
    case confirmed
    /// The operator had the job tried again.
    case retried
    /// The operator said no.
    case cancelled
    /// A 503 ended it.
    case aborted
    /// The operator took the file back.
    case released
    /// The operator deleted the file.
    case discarded
    /// What was owed at the storage after a cancel is done, and nothing of the job is there.
    case cleaned
    /// What was owed at the storage after a cancel is done, and the object is there.
    case objectLeft = "object-left"
  }

  /// The ledger's sequence; 0 until the event is committed.
  public var sequence: Int64
  /// When it happened.
  public var at: Timestamp
  /// What happened.
  public var kind: Kind
  /// The step at which it happened.
  public var step: Step
  /// The job right after the change.
  public var job: Job
  /// How long the attempt took that ended with it.
  public var took: Duration?
  /// Who asked for it, where a person did.
  public var by: Caller?
  /// Why, in that person's words; of an object that could not be removed, the failure's.
  public var reason: String?

  /// An event that is yet to be committed.
  public init(
    at: Timestamp, kind: Kind, step: Step, job: Job, took: Duration? = nil, by: Caller? = nil, reason: String? = nil
  ) {
    self.sequence = 0
    self.at = at
    self.kind = kind
    self.step = step
    self.job = job
    self.took = took
    self.by = by
    self.reason = reason
  }

  /// The event as a sentence for people.
  public var message: String {
    let name = job.ticket.name
    switch kind {
    case .admitted: return "\(name.shown) admitted as job \(job.number)"
    case .uploaded: return "\(name.shown) uploaded"
    case .registered: return Sentences.registered(name)
    case .deferred: return "\(step.noun) of \(name.shown) \(Self.waits(job)): \(job.failure?.words ?? "unknown reason")"
    case .question: return job.question?.text ?? "\(step.noun) of \(name.shown) failed. Retry?"
    case .confirmed: return "\(step.noun) of \(name.shown) confirmed by \(user)"
    case .retried: return "\(step.noun) of \(name.shown) retried by \(user)"
    case .cancelled: return Sentences.cancelled(step, name, by: by?.user ?? "unknown")
    case .aborted: return Sentences.aborted(step, name)
    case .released: return "\(name.shown) released by \(user)"
    case .discarded: return "\(name.shown) discarded by \(user)"
    case .cleaned: return Sentences.cleaned(name, at: "storage." + job.ticket.storage)
    case .objectLeft: return Sentences.objectLeft(name, at: "storage." + job.ticket.storage, reason: reason)
    }
  }

  private var user: String { DisplayText.escape(by?.user ?? "unknown") }

  private static func waits(_ job: Job) -> String {
    switch job.state {
    case .awaitingCredentials: "waits for a key"
    case .awaitingNetwork: "waits for the network"
    default: "deferred"
    }
  }
}
