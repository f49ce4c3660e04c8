/// What keeps a destination, a spool or all of it closed: a gate, a pause, or what holds one queued job.
public struct HoldMessage: Hashable, Sendable, Codable {
  /// `storage.NAME`, `backend.NAME`, `spool.NAME`, `all`, or `recovered`: what is held since the ledger was lost.
  public var destination: String
  /// `unavailable`, `gateway`, `throttled`, `credentials`, `network`, `question` or `paused`.
  public var reason: String
  /// Since when; a job's `held_by` does not have it.
  public var since: MessageTime?
  /// Until when, where that is known.
  public var until: MessageTime?

  /// What is to be said of it, where its name alone does not say that.
  public var words: String?

  /// Something that is closed.
  public init(
    destination: String, reason: String, since: MessageTime? = nil, until: MessageTime? = nil, words: String? = nil
  ) {
    self.destination = destination
    self.reason = reason
    self.since = since
    self.until = until
    self.words = words
  }

  /// Writes the members; an end that is not known is null.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: CodingKeys.self)
    try container.encode(destination, forKey: .destination)
    try container.encode(reason, forKey: .reason)
    try container.encodeIfPresent(since, forKey: .since)
    try container.encode(until, forKey: .until)
    try container.encodeIfPresent(words, forKey: .words)
  }
}
