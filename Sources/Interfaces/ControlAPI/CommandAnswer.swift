/// The answer to a command about one job: the job as it is now, and a sentence for people.
public struct CommandAnswer: Hashable, Sendable, Codable {
  /// The job; its members stand beside the sentence.
  public var job: JobMessage
  /// The result as a sentence, e.g. `Upload of a.pdf cancelled by anna`.
  public var message: String

  enum CodingKeys: String, CodingKey { case message }

  /// Creates an answer.
  public init(job: JobMessage, message: String) {
    self.job = job
    self.message = message
  }

  /// Reads job and sentence.
  public init(from decoder: any Decoder) throws {
    self.job = try JobMessage(from: decoder)
    self.message = try decoder.container(keyedBy: CodingKeys.self).decode(String.self, forKey: .message)
  }

  /// Writes job and sentence side by side.
  public func encode(to encoder: any Encoder) throws {
    try job.encode(to: encoder)
    var container = encoder.container(keyedBy: CodingKeys.self)
    try container.encode(message, forKey: .message)
  }
}
