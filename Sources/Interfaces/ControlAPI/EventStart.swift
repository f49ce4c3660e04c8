public import Jobs

/// The start of a stream of events.
public enum EventStart: Hashable, Sendable {
  /// With the next event.
  case now
  /// With the event after this number.
  case after(Int64)
  /// With the first event at or after this time, from the log.
  case since(Timestamp)
}
