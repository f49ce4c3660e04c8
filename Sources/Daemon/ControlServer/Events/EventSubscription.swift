public import ControlAPI

/// One reader's events, as the composition gives them to the control server.
public struct EventSubscription: Sendable {
  /// The identity of the ledger that the sequences belong to; nil where that is not known.
  public var identity: LedgerIdentityMessage?
  /// True if events were lost: those asked for are no longer kept, or never were.
  public var isReset: Bool
  /// All events up to this sequence were told before or not asked for. It is sent first, so that a reader can go on from
  /// there although no event came yet; nil where that is not known.
  public var position: Int64?
  /// The events, in the order of their sequences. Its buffer has to be bounded; where it overflows, its owner ends it, and
  /// the reader is told that it was too slow. Of an error that it throws the reader is told too.
  public var events: AsyncThrowingStream<EventMessage, any Error>

  /// A reader's events.
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
