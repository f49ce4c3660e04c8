/// A destination in `status`.
public struct DestinationMessage: Hashable, Sendable, Codable {
  /// `storage.NAME` or `backend.NAME`.
  public var destination: String
  /// The number of attempts in flight there, and the limit.
  public var concurrency: Concurrency

  /// The attempts in flight at a destination.
  public struct Concurrency: Hashable, Sendable, Codable {
    /// The number that may be in flight now. If it is not adaptive, all destinations share that number.
    public var limit: Int
    /// The number in flight, including those whose result is being written to the ledger.
    public var inFlight: Int
    /// True if the limit is this destination's own and follows how it answers (`concurrency = "auto"`).
    public var adaptive: Bool
    /// The reason in words why the limit is no higher: requests were refused, failed or timed out. Nil if there is none.
    @Nullable public var heldDown: String?

    enum CodingKeys: String, CodingKey {
      case limit
      case inFlight = "in_flight"
      case adaptive
      case heldDown = "held_down"
    }

    /// Creates the numbers.
    public init(limit: Int, inFlight: Int, adaptive: Bool, heldDown: String? = nil) {
      self.limit = limit
      self.inFlight = inFlight
      self.adaptive = adaptive
      self.heldDown = heldDown
    }
  }

  /// Creates a destination's message.
  public init(destination: String, concurrency: Concurrency) {
    self.destination = destination
    self.concurrency = concurrency
  }
}
