/// The answer to `GET /v1/throughput`: the last hour of the daemon's life, minute by minute.
public struct ThroughputMessage: Hashable, Sendable, Codable {
  /// The work of one minute.
  public struct Minute: Hashable, Sendable, Codable {
    /// The time at which it began.
    public var at: MessageTime
    /// The number of uploads that were done in it.
    public var uploaded: Int
    /// The number of jobs that were registered in it.
    public var registered: Int
    /// The number of bytes of the files that were uploaded in it.
    public var bytes: Int64
    /// The number of jobs that were unfinished at its end.
    public var backlog: Int
    /// The largest number of jobs that were unfinished at any time in it.
    public var most: Int

    /// Creates a minute.
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

  /// Creates the answer from minutes in their order.
  public init(minutes: [Minute]) { self.minutes = minutes }
}
