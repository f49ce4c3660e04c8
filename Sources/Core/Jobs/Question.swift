public import Messages

/// The question to the operator about a failed step. It is durable state, not a suspended task.
public struct Question: Hashable, Sendable {
  /// The sentence, e.g. `Upload of a.pdf failed: HTTP 403: …. Retry?`
  public var message: Message
  /// The time at which it was asked.
  public var askedAt: Timestamp

  /// The sentence in English.
  public var text: String { message.text }

  /// Creates a question as the ledger has it.
  public init(_ message: Message, askedAt: Timestamp) {
    self.message = message
    self.askedAt = askedAt
  }
}

/// The operator's answer to a question, or a command about any job.
public enum Answer: Hashable, Sendable {
  /// Try the failed step again now; only for a job that waits. With a link, use it as the result of step 1 and go on.
  case confirm(by: Caller, link: StoredLink?)
  /// As `confirm` for a job that waits; an aborted or cancelled job is queued again.
  case retry(by: Caller)
  /// Stop this job; the file is kept.
  case cancel(Cancellation)
  /// Delete the file of an aborted or cancelled job permanently.
  case discard(by: Caller)
  /// Give the file of an aborted or cancelled job back, into this directory.
  case release(by: Caller, to: String)

  /// The user who answered.
  public var by: Caller {
    switch self {
    case .confirm(let by, _), .retry(let by), .discard(let by), .release(let by, _): by
    case .cancel(let cancellation): cancellation.by
    }
  }
}
