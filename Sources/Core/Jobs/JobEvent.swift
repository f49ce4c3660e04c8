public import Messages

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
    /// The job was skipped: the same bytes were sent before.
    case skipped
    /// The job will be tried again by itself, or waits for a key or the network.
    case deferred
    /// The operator was asked a question.
    case question
    /// The operator allowed another try, or the sidecar that the job asked about has come.
    case confirmed
    case retried
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
  }

  /// The event's number in the ledger; 0 until the event is committed.
  public var sequence: Int64 = 0
  package var at: Timestamp
  package var kind: Kind
  package var step: Step
  /// The job right after the change.
  public var job: Job
  /// The duration of the attempt that ended with the event.
  public var took: Duration?
  package var by: Caller?
  /// The person's reason; for an object that could not be removed, the failure's; for a sidecar that has come, the whole sentence.
  public var reason: Message?

  package init(
    at: Timestamp, kind: Kind, step: Step, job: Job, took: Duration? = nil, by: Caller? = nil, reason: Message? = nil
  ) {
    self.at = at
    self.kind = kind
    self.step = step
    self.job = job
    self.took = took
    self.by = by
    self.reason = reason
  }

  /// The event as a sentence for people.
  public var said: Message {
    let name = job.ticket.name
    var shown: String { name.shown }
    let (step, storage) = (step.rawValue, job.ticket.destination(of: .upload).text)
    switch kind {
    case .admitted: return .admitted(name: shown, job: job.number.rawValue)
    case .uploaded: return .uploaded(name: shown)
    case .registered: return .registered(name: shown)
    case .skipped: return .skipped(name, as: job.recognized?.job.rawValue)
    case .deferred:
      let why = job.failure?.message ?? .unknownReason
      switch job.state {
      case .awaitingCredentials: return .stepAwaitsKey(step: step, name: shown, why: why)
      case .awaitingNetwork: return .stepAwaitsNetwork(step: step, name: shown, why: why)
      default: return .stepDeferred(step: step, name: shown, why: why)
      }
    case .question: return job.question?.message ?? .stepQuestionAlone(step: step, name: shown)
    case .confirmed: return reason ?? .stepConfirmed(step: step, name: shown, user: user)
    case .retried: return .stepRetried(step: step, name: shown, user: user)
    case .cancelled: return .stepCancelled(step: step, name: shown, user: user)
    case .aborted: return .stepAborted(step: step, name: shown)
    case .released: return .released(name: shown, user: user)
    case .discarded: return .discarded(name: shown, user: user)
    case .cleaned: return .nothingLeft(name: shown, destination: storage)
    case .objectLeft:
      guard let reason else { return .objectLeft(name: shown, destination: storage) }
      return .objectMayBeLeft(name: shown, destination: storage, why: reason)
    }
  }

  package var message: String { said.text }

  private var user: String { DisplayText.escape(by?.user ?? "unknown") }
}

extension Message {
  /// Returns the sentence for a skipped job, with the number of the job that sent the bytes if it is known.
  public static func skipped(_ name: FileName, as earlier: Int64?) -> Message {
    earlier.map { .skippedAs(name: name.shown, job: $0) } ?? .skipped(name: name.shown)
  }
}
