/// What `GET /v1/throughput` answers: the last hour of the daemon's life, a minute at a time.
public struct ThroughputMessage: Hashable, Sendable, Codable {
  /// What a minute brought.
  public struct Minute: Hashable, Sendable, Codable {
    /// When it began.
    public var at: MessageTime
    /// How many uploads were done in it.
    public var uploaded: Int
    /// How many jobs were registered in it.
    public var registered: Int
    /// How many bytes the files have that were uploaded in it.
    public var bytes: Int64
    /// How many jobs were unfinished at its end.
    public var backlog: Int
    /// The most jobs that were unfinished at any time in it.
    public var most: Int

    /// A minute.
    public init(at: MessageTime, uploaded: Int, registered: Int, bytes: Int64, backlog: Int, most: Int) {
      self.at = at
      self.uploaded = uploaded
      self.registered = registered
      self.bytes = bytes
      self.backlog = backlog
      self.most = most
    }
  }

  /// The minutes, the oldest first; the last one is not over yet. At most sixty.
  public var minutes: [Minute]

  /// Minutes in their order.
  public init(minutes: [Minute]) { self.minutes = minutes }
}
