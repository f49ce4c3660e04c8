public import Jobs
import Messages

/// The start of a stream of events.
public enum EventStart: Hashable, Sendable {
  /// With the next event.
  case now
  /// With the event after this number.
  case after(Int64)
  /// With the first event at or after this time, from the log.
  case since(Timestamp)
}

/// The query of `GET /v1/events`: the start of the stream, and the filter for its events.
public struct EventQuery: Hashable, Sendable {
  /// The start of the stream.
  public var start: EventStart
  /// The filter for the events. Its times are nil, because ``start`` says where the stream begins.
  public var filter: EventFilter

  /// Creates a query.
  public init(start: EventStart = .now, filter: EventFilter = EventFilter()) {
    (self.start, self.filter) = (start, filter)
  }

  /// Reads a request: the value of its `Last-Event-ID` header, and the part of its URL after the `?`.
  ///
  /// The header overrides `since`, because a browser's EventSource repeats the same URL when it connects again.
  /// - Parameter now: the time that a relative `since` counts from.
  /// - Throws: ``InvalidRequest`` that names the header or the parameter.
  public init(lastEventID: String?, query: some StringProtocol, now: Timestamp) throws(InvalidRequest) {
    try self.init(parsing: query, now: now)
    guard let lastEventID else { return }
    guard lastEventID.utf8.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }),
      let sequence = Int64(lastEventID)
    else { throw InvalidRequest(.valueHasToBe(name: "Last-Event-ID", form: .formAnswered)) }
    start = .after(sequence)
  }
}

extension EventQuery: QueryOfTerms {
  package init() { self.init(start: .now) }

  /// An event to begin after is sent in a header instead.
  package static let terms: [QueryTerm<EventQuery>] =
    [.time("since", \.since)] + EventFilter.termsWithoutTimes.map { $0.within(\.filter) }

  private var since: Timestamp? {
    get { if case .since(let time) = start { time } else { nil } }
    set { start = newValue.map { .since($0) } ?? .now }
  }
}
