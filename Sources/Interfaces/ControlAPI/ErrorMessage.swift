public import Jobs
public import Messages

/// The reason why the last attempt failed, in the form for programs.
public struct ErrorMessage: Hashable, Sendable, Codable {
  /// The kind of failure, which decides what follows.
  public var kind: Failure.Kind
  /// The HTTP status, if an answer came.
  @Nullable public var status: Int?
  /// The server's own code, or the local error's name.
  @Nullable public var code: String?
  /// The reason in words.
  public var message: String
  /// The code and the arguments of ``message``; nil for words that have none.
  @Nullable public var messageSaid: Message?
  /// The number of seconds that the server asked to wait.
  @Nullable public var retryAfter: Double?
  /// The beginning of the answer, its lines escaped; only in the message of a single job, at its last failure.
  @Nullable public var answer: String?

  enum CodingKeys: String, CodingKey {
    case kind, status, code, message, answer
    case messageSaid = "message_said"
    case retryAfter = "retry_after"
  }

  /// Creates the message of a failure.
  public init(_ failure: Failure) {
    self.kind = failure.kind
    self.status = failure.status
    self.code = failure.code
    self.message = failure.words
    self.messageSaid = failure.message.coded
    self.retryAfter = failure.retryAfter?.inSeconds
    self.answer = nil
  }
}
