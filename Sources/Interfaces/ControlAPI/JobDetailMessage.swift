public import Jobs
public import Messages

extension JobDetailMessage {
  /// Creates the message of a job with its attempts and history. `message` is the short form of the same job, `answer` the
  /// beginning of the server's answer at its last failure.
  public init(
    _ job: Job, message: JobMessage, standstill: StandstillMessage? = nil, holds: [HoldMessage] = [],
    cleanup: CleanupMessage? = nil,
    attempts: [AttemptMessage], history: [HistoryMessage], answer: String? = nil, files: Files? = nil
  ) {
    var (message, attempts) = (message, attempts)
    if let last = attempts.lastIndex(where: { $0.error != nil }) { attempts[last].error?.answer = answer }
    message.error?.answer = answer
    let ticket = job.ticket
    self.init(
      job: message, key: ticket.key, sha256: job.link?.receipt?.sha256, standstill: standstill, holds: holds,
      receipts: ReceiptsMessage(upload: job.link?.receipt, register: job.registration),
      cleanup: cleanup, attempts: attempts, metadata: ticket.metadata, withheld: ticket.withheld,
      captures: ticket.captures, sidecar: ticket.parcel.sidecar.map { $0.pattern.sidecar(of: ticket.name).text },
      files: files, history: history)
  }
}

extension AttemptMessage {
  /// Creates the message of a try.
  public init(_ attempt: Attempt) {
    self.init(
      step: attempt.step, attempt: attempt.number, startedAt: attempt.startedAt, endedAt: attempt.endedAt,
      outcome: attempt.outcome.rawValue, error: attempt.failure.map { ErrorMessage($0) })
  }
}

extension CleanupMessage {
  /// Creates the message of a cleanup.
  public init(_ cleanup: Cleanup, clockOffset: Duration = .zero) {
    self.init(
      remove: cleanup.aim == .remove, tries: cleanup.tries, nextAttemptAt: cleanup.nextAt.map { $0 + clockOffset },
      error: cleanup.failure.map { ErrorMessage($0) })
  }
}

extension HistoryMessage {
  /// Creates an entry of a job's history.
  public init(
    at: Timestamp, event: JobEvent.Kind, step: Step, revision: Int64? = nil, by: Caller?, reason: Message?
  ) {
    self.init(
      at: at, event: event.rawValue, step: step, revision: revision, by: by.map { CallerMessage($0) },
      byUID: by?.uid, byUser: by?.user, reason: reason)
  }
}
