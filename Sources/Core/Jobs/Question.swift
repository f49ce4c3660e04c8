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
