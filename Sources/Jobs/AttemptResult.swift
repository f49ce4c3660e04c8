/// How one try of one step ended: a receipt or a failure, never an error that ends anything else.
public enum AttemptResult: Hashable, Sendable {
  /// Step 1 is done; the link is to be made durable.
  case uploaded(StoredLink)
  /// Step 2 is done.
  case registered(RegistrationReceipt)
  /// The step failed, and what that leads to.
  case failed(Failure, Verdict)
  /// The next attempt has to send these bytes, whatever was stored before: the file on disk is not the one recorded, or
  /// the storage has other bytes than were sent.
  case changed(Failure, Verdict, now: FileIdentity)
  /// A stop or a crash cut the attempt; it spends nothing.
  case cut
}

/// What can happen to a job.
public enum JobInput: Hashable, Sendable {
  /// The pipeline takes the job up.
  case begin
  /// The attempt with this count (of the present step) ended.
  case finished(attempt: Int, AttemptResult)
  /// The storage began an upload in parts, in the try of step 1 with this count.
  case beganParts(attempt: Int, MultipartUpload)
  /// Its time has come, a probe is due, or another job's probe succeeded.
  case due
  /// The job may not go on before a person says so: its destination is no longer in the configuration, or a lost ledger had
  /// its question.
  case mustAsk(Failure)
  /// A person spoke.
  case answer(Answer)
  /// What was owed at the far side after a cancel is done: how the far side stands, and why the object could not be
  /// removed.
  case cleaned(Remote, Failure?)
  /// The file was disposed of.
  case disposed
  /// The file stands in the directory that it was to be released to, and is durable there.
  case released
  /// The file could not be released; the job stays what it was.
  case releaseFailed
}

/// A try of a step as the ledger lists it.
public struct Attempt: Hashable, Sendable {
  /// What the try came to.
  public enum Outcome: String, Sendable {
    /// The step is done.
    case succeeded
    /// It failed, see `failure`.
    case failed
    /// A stop, a crash or a cancel cut it.
    case cut
  }

  /// The step that was tried.
  public var step: Step
  /// The count of the try over the job's life.
  public var number: Int
  /// When it began.
  public var startedAt: Timestamp
  /// When it ended; for one cut by a crash, when that was found out.
  public var endedAt: Timestamp
  /// What it came to.
  public var outcome: Outcome
  /// Why it failed.
  public var failure: Failure?

  /// How long the try took.
  public var took: Duration { endedAt - startedAt }

  /// A try as it is listed.
  public init(
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
