public import Jobs

/// The place at which a stream of events begins.
public enum EventStart: Hashable, Sendable {
  /// With the next event.
  case now
  /// With the event after this number.
  case after(Int64)
  /// With the first at or after this time, from the log.
  case since(Timestamp)

  /// Reads a request: the value of its `Last-Event-ID` header, and the part of its URL after the `?`.
  ///
  /// The header wins over `since`, because a browser's EventSource repeats the same URL when it connects again.
  /// - Parameter now: the time that a relative `since` counts from.
  /// - Throws: ``InvalidRequest`` that names the header or the parameter.
  public init(lastEventID: String?, query: some StringProtocol, now: Timestamp) throws(InvalidRequest) {
    self = .now
    for (name, value) in try QueryText.pairs(query) {
      guard name == "since" else {
        throw InvalidRequest("parameter \"\(name)\" is not known; there is since")
      }
      guard self == .now else { throw InvalidRequest("since is given more than once") }
      guard let time = RelativeTime.read(value, now: now) else {
        throw InvalidRequest(
          "since \"\(value)\" is not a time; give 2026-11-21T01:02:03Z, or so long ago as 90s, 1h or 2d")
      }
      self = .since(time)
    }
    guard let lastEventID else { return }
    guard lastEventID.utf8.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }),
      let sequence = Int64(lastEventID)
    else { throw InvalidRequest("Last-Event-ID has to be an id that the stream gave, which is a number") }
    self = .after(sequence)
  }
}
