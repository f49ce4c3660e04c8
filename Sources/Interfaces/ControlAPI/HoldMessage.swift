public import Messages

/// A gate or a pause that holds a destination, a spool or everything; also the hold on one queued job.
public struct HoldMessage: Hashable, Sendable, Codable {
  /// `storage.NAME`, `backend.NAME`, `spool.NAME`, `all`, `intake`, `late.NAME`, or `recovered` for the hold after a loss of
  /// the ledger.
  public var destination: String
  /// `unavailable`, `gateway`, `throttled`, `credentials`, `network`, `question` or `paused`.
  public var reason: String
  /// The time since which it is closed; nil in a job's `held_by`.
  @Nullable public var since: MessageTime?
  /// The time until which it is closed, if that is known.
  @Nullable public var until: MessageTime?

  /// The user who paused it; nil for a gate and in a job's `held_by`.
  @Nullable public var by: CallerMessage?

  /// An explanation, if name and reason alone do not give one: for instance, which key cannot be read.
  @Nullable public var words: String?
  /// The code and the arguments of ``words``; nil for words that have none.
  @Nullable public var wordsSaid: Message?

  enum CodingKeys: String, CodingKey {
    case destination, reason, since, until, by, words
    case wordsSaid = "words_said"
  }

  /// Creates a message of a hold.
  public init(
    destination: String, reason: String, since: MessageTime? = nil, until: MessageTime? = nil,
    by: CallerMessage? = nil,
    words: Message? = nil
  ) {
    self.destination = destination
    self.reason = reason
    self.since = since
    self.until = until
    self.by = by
    self.words = words?.text
    self.wordsSaid = words?.coded
  }
}
