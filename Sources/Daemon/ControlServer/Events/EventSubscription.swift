public import ControlAPI

/// One reader's events, as ``ControlOperations`` gives them to the control server.
public struct EventSubscription: Sendable {
  /// The identity of the ledger that the sequences belong to; nil if it is not known.
  public var identity: LedgerIdentityMessage?
  /// True if events were lost: those that the reader asked for are not kept, or never existed.
  public var isReset: Bool
  /// All events up to this sequence were sent before or not asked for. It is sent first, so that a reader can continue from
  /// there although no event has come yet; nil if it is not known.
  public var position: Int64?
  /// The events, in the order of their sequences. A buffer must be bounded; if it overflows, the stream ends, and the reader is told that
  /// it was too slow. The daemon's stream has none. An error of the stream is sent as the last event.
  public var events: AsyncThrowingStream<EventMessage, any Error>
  /// The number from which a reader continues after an event.
  public var number: @Sendable (EventMessage) -> Int64 = { $0.sequence }

  /// Creates the subscription of a reader.
  public init(
    identity: LedgerIdentityMessage? = nil, isReset: Bool, position: Int64? = nil,
    events: AsyncThrowingStream<EventMessage, any Error>
  ) {
    self.identity = identity
    self.isReset = isReset
    self.position = position
    self.events = events
  }
}
