/// The result of one attempt at one step: a receipt or a failure. A failure is a value here, not a thrown error: it ends only its
/// attempt.
public enum AttemptResult: Hashable, Sendable {
  /// Step 1 is done; the link is to be made durable.
  case uploaded(StoredLink)
  case registered(RegistrationReceipt)
  /// The step is not needed, because the same bytes were registered before.
  case recognized(Recognized)
  indirect case failed(Failure, Verdict)
  /// The next attempt must send these bytes, whatever was stored before. Either the file on disk is not the recorded
  /// one, or the storage has different bytes than were sent.
  indirect case changed(Failure, Verdict, now: FileIdentity)
  /// A stop or a crash cut the attempt. The job is queued again and spends none of the delays of its ``RetryPolicy``.
  case cut
  /// Nothing of the job was sent: the look at the destination before the attempt met trouble that may pass. No delay is spent.
  indirect case unanswered(Gate.Symptom)
}

extension AttemptResult {
  /// True if the result of an upload proves that the backend has granted it, if one does: the bytes were sent.
  package var isGranted: Bool {
    switch self {
    case .uploaded: true
    case .failed(let failure, let verdict): failure.grantor == nil && Gate.Symptom(of: failure, verdict).kind != .local
    case .registered, .recognized, .changed, .cut, .unanswered: false
    }
  }

  /// The result of an attempt whose look at the destination failed; nil if the job is sent in spite of that.
  ///
  /// Trouble that may pass or a missing network holds the job back. A missing bucket or an untrusted certificate does so only if another
  /// job asks about that. Otherwise (key, permissions, a host's name unresolved for too long) the job's own attempt decides: the job then
  /// waits or asks.
  public init?(look failure: Failure, _ verdict: Verdict, at gate: Gate, steady: Timestamp) {
    switch failure.kind {
    case .network where gate.unresolved(failure, steady: steady) != nil: return nil
    case .destination where gate.closure?.asker == nil || failure.status.map { $0 != 404 } ?? false: return nil
    case .unavailable, .throttled, .transient, .network, .destination:
      self = .unanswered(Gate.Symptom(ofLook: failure, verdict))
    case .credentials, .conflict, .rejected, .file, .fileChanged, .configuration: return nil
    }
  }
}

/// The events that can happen to a job.
public enum JobInput: Hashable, Sendable {
  case begin
  /// The attempt with this count (of the present step) ended.
  case finished(attempt: Int, AttemptResult)
  /// The storage began an upload in parts, in the try of step 1 with this count.
  case beganParts(attempt: Int, MultipartUpload)
  /// The job's time has come, a probe is due, or another job's probe succeeded.
  case due
  /// The job may not go on until a person decides: its destination is no longer in the configuration, or a lost ledger had its
  /// question.
  indirect case mustAsk(Failure)
  /// The sidecar that the job asks about is claimed: the ticket with the sidecar, a reason that is left to ask, and the user whom the
  /// history names.
  indirect case joined(Ticket, asks: Failure?, by: Caller)
  /// A person gave a command. The link of a confirm comes in its stored form, with the body of the registration.
  indirect case command(JobCommand, by: Caller, link: StoredLink? = nil)
  /// The cleanup after a cancel is done: the state of the storage, and the reason if the object could not be removed.
  indirect case cleaned(Remote, Failure?)
  case disposed
  /// The file is durable in the directory that it was to be released to.
  case released
  /// The file could not be released; the job stays as it was.
  case releaseFailed
}

/// A try of a step, as the ledger lists it.
public struct Attempt: Hashable, Sendable {
  /// The result of the try.
  public enum Outcome: String, Sendable {
    case succeeded
    case failed
    /// A stop, a crash or a cancel cut the try.
    case cut
  }

  package var step: Step
  /// The count of the try over the job's life.
  public var number: Int
  package var startedAt: Timestamp
  /// The time at which the try ended; after a crash, the time of the next start.
  public var endedAt: Timestamp
  package var outcome: Outcome
  @Apart package var failure: Failure?

  package var took: Duration { endedAt - startedAt }

  package init(
    step: Step, number: Int, startedAt: Timestamp, endedAt: Timestamp, outcome: Outcome, failure: Failure? = nil
  ) {
    self.step = step
    self.number = number
    self.startedAt = startedAt
    self.endedAt = endedAt
    self.outcome = outcome
    self.failure = failure
  }
}
