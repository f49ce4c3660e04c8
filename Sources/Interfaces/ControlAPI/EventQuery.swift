public import Jobs

/// The query of `GET /v1/events`: the start of the stream, and the filter for its events.
public struct EventQuery: Hashable, Sendable {
  /// The start of the stream.
  public var start: EventStart
  /// The filter for the events. Its times are nil, because ``start`` says where the stream begins.
  public var filter: EventFilter

  /// Creates a query.
  public init(start: EventStart, filter: EventFilter = EventFilter()) {
    self.start = start
    self.filter = filter
  }

  /// Reads a request: the value of its `Last-Event-ID` header, and the part of its URL after the `?`.
  ///
  /// The header overrides `since`, because a browser's EventSource repeats the same URL when it connects again.
  /// - Parameter now: the time that a relative `since` counts from.
  /// - Throws: ``InvalidRequest`` that names the header or the parameter.
  public init(lastEventID: String?, query: some StringProtocol, now: Timestamp) throws(InvalidRequest) {
    self.init(start: .now)
    for (name, value) in try QueryText.pairs(query) {
      switch name {
      case "since":
        guard start == .now else { throw InvalidRequest("since is given more than once") }
        start = .since(try FilterTerms.time(value, name, now))
      case _ where EventTerms.names.contains(name): try EventTerms.add(value, as: name, to: &filter)
      default: throw InvalidRequest.unknown(name, among: ["since"] + EventTerms.names)
      }
    }
    guard let lastEventID else { return }
    guard lastEventID.utf8.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }),
      let sequence = Int64(lastEventID)
    else { throw InvalidRequest("Last-Event-ID has to be an id that the stream gave, which is a number") }
    start = .after(sequence)
  }

  /// The query as the part of a URL after its `?`; empty if there is none. An event to begin after is sent in a header instead.
  public var text: String {
    var terms = EventTerms.list(filter)
    if case .since(let time) = start { terms.append(("since", time.rfc3339Milliseconds)) }
    return QueryText.text(terms)
  }
}
