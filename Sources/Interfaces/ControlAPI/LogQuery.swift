public import Jobs

/// The query of `GET /v1/log`: a filter for events and a page.
public struct LogQuery: Hashable, Sendable {
  /// The numbers of events that a page may have.
  public static let limits = PageTerms.limits
  /// The number of events of a page if the caller gives none.
  public static let defaultLimit = PageTerms.defaultLimit

  /// The filter for the events.
  public var filter: EventFilter
  /// The order: the oldest or the newest events first.
  public var order: JobOrder
  /// The number of the event at which the page before ended.
  public var after: Int64?
  /// The most events of the page, within ``limits``.
  public var limit: Int

  /// Creates a query; without arguments it is for the latest events.
  public init(
    filter: EventFilter = EventFilter(), order: JobOrder = .newest, after: Int64? = nil, limit: Int = defaultLimit
  ) {
    self.filter = filter
    self.order = order
    self.after = after
    self.limit = limit
  }

  /// Reads the part of a URL after its `?`.
  ///
  /// - Parameter now: the time that a relative `since` or `until` counts from.
  /// - Throws: ``InvalidRequest`` that names the parameter.
  public init(parsing query: some StringProtocol, now: Timestamp) throws(InvalidRequest) {
    self.init()
    var page = PageTerms()
    for (name, value) in try QueryText.pairs(query) {
      switch name {
      case "since": filter.since = try FilterTerms.once(filter.since, try FilterTerms.time(value, name, now), name)
      case "until": filter.until = try FilterTerms.once(filter.until, try FilterTerms.time(value, name, now), name)
      case _ where PageTerms.names.contains(name): try page.add(value, as: name)
      case _ where EventTerms.names.contains(name): try EventTerms.add(value, as: name, to: &filter)
      default: throw InvalidRequest.unknown(name, among: EventTerms.names + ["since", "until"] + PageTerms.names)
      }
    }
    (order, limit) = (page.order ?? .newest, page.limit ?? Self.defaultLimit)
    guard let place = page.after else { return }
    guard let number = Int64(place), number >= 0 else { throw PageTerms.wrongPlace }
    after = number
  }

  /// The query as the part of a URL after its `?`.
  public var text: String {
    var terms = EventTerms.list(filter)
    if let since = filter.since { terms.append(("since", since.rfc3339Milliseconds)) }
    if let until = filter.until { terms.append(("until", until.rfc3339Milliseconds)) }
    if order != .newest { terms.append(("order", order.rawValue)) }
    terms.append(("limit", String(limit)))
    if let after { terms.append(("after", String(after))) }
    return QueryText.text(terms)
  }
}
