/// The daemon that holds the lock of a shared spool, in `status`.
public struct HolderMessage: Hashable, Sendable, Codable {
  /// The name of its host.
  public var host: String
  /// The time since which it holds the lock, by its own clock.
  public var since: MessageTime?
  /// True if it is the daemon that answers; otherwise the daemon that answers stands by.
  public var here: Bool

  /// Creates a holder's message.
  public init(host: String, since: MessageTime?, here: Bool) {
    self.host = host
    self.since = since
    self.here = here
  }

  /// Writes every member; an absent value is null.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: CodingKeys.self)
    try container.encode(host, forKey: .host)
    try container.encode(since, forKey: .since)
    try container.encode(here, forKey: .here)
  }
}
