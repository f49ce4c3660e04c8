public import Messages

/// The answer to a command about one job: the job as it is now, and a sentence for people.
public struct CommandAnswer: Hashable, Sendable, Codable {
  /// The job; its members are written beside the sentence.
  public var job: JobMessage
  /// The result as a sentence, e.g. `Upload of a.pdf cancelled by anna`.
  public var message: String
  /// The code and the arguments of ``message``; nil for words that have none.
  public var messageSaid: Message?

  enum CodingKeys: String, CodingKey {
    case message
    case messageSaid = "message_said"
  }

  /// Creates an answer.
  public init(job: JobMessage, message: Message) {
    self.job = job
    self.message = message.text
    messageSaid = message.coded
  }

  /// Reads job and sentence.
  public init(from decoder: any Decoder) throws {
    self.job = try JobMessage(from: decoder)
    let container = try decoder.container(keyedBy: CodingKeys.self)
    self.message = try container.decode(String.self, forKey: .message)
    self.messageSaid = try container.decodeIfPresent(Message.self, forKey: .messageSaid)
  }

  /// Writes job and sentence side by side.
  public func encode(to encoder: any Encoder) throws {
    try job.encode(to: encoder)
    var container = encoder.container(keyedBy: CodingKeys.self)
    try container.encode(message, forKey: .message)
    try container.encode(messageSaid, forKey: .messageSaid)
  }
}
