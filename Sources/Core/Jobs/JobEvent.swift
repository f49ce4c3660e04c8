/// A change of a job as a value. Journal, event stream, metrics and status line read the same events.
public struct JobEvent: Hashable, Sendable {
  /// The kind of change; the raw value is the name that journal and stream use.
  public enum Kind: String, Sendable, CaseIterable {
    /// A file became a job.
    case admitted
    /// Step 1 is done and the link durable.
    case uploaded
    /// Both steps are done and the receipt durable.
    case registered
    /// The job will be tried again by itself, or waits for a key or the network.
    case deferred
    /// The operator was asked a question.
    case question
    /// The operator allowed another try.
    case confirmed
    /// The operator had the job tried again.
    case retried
    /// The operator cancelled the job.
    case cancelled
    /// A 503 ended the job.
    case aborted
    /// The operator took the file back.
    case released
    /// The operator deleted the file.
    case discarded
    /// The cleanup at the storage after a cancel is done, and nothing of the job is there.
    case cleaned
    /// The cleanup at the storage after a cancel is done, and the object is there.
    case objectLeft = "object-left"
    /// Another host has taken over the spool, and the file with it.
    case moved
  }

  /// The event's number in the ledger; 0 until the event is committed.
  public var sequence: Int64
  /// The time at which it happened.
  public var at: Timestamp
  /// The kind of change.
  public var kind: Kind
  /// The step at which it happened.
  public var step: Step
  /// The job right after the change.
  public var job: Job
  /// The duration of the attempt that ended with the event.
  public var took: Duration?
  /// The user who asked for it, if a person did.
  public var by: Caller?
  /// The person's reason in words; for an object that could not be removed, the failure's words.
  public var reason: String?

  /// Creates an event that is not yet committed.
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
    case .moved: return "\(name.shown) is now at \(DisplayText.escape(reason ?? "another host"))"
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
