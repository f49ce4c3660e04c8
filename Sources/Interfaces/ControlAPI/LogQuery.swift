public import Jobs

/// The query of `GET /v1/log`: a filter for events and a page.
public struct LogQuery: Hashable, Sendable {
  /// The numbers of events that a page may have.
  public static let limits = 1...1000
  /// The number of events of a page if the caller gives none.
  public static let defaultLimit = 100

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
    var (order, limit): (JobOrder?, Int?) = (nil, nil)
    for (name, value) in try QueryText.pairs(query) {
      switch name {
      case "since": filter.since = try FilterTerms.once(filter.since, try FilterTerms.time(value, name, now), name)
      case "until": filter.until = try FilterTerms.once(filter.until, try FilterTerms.time(value, name, now), name)
      case "after":
        guard let place = Int64(value), place >= 0 else {
          throw InvalidRequest("after has to be what next was on the page before")
        }
        after = try FilterTerms.once(after, place, name)
      case "order":
        guard let word = JobOrder(rawValue: value) else { throw InvalidRequest("order has to be oldest or newest") }
        order = try FilterTerms.once(order, word, name)
      case "limit":
        guard let number = Int(value), Self.limits.contains(number) else {
          throw InvalidRequest("limit has to be a number from 1 to 1000")
        }
        limit = try FilterTerms.once(limit, number, name)
      case _ where EventTerms.names.contains(name): try EventTerms.add(value, as: name, to: &filter)
      default:
        let known = EventTerms.names + ["since", "until", "order", "limit", "after"]
        throw InvalidRequest("parameter \"\(name)\" is not known; there are \(known.joined(separator: ", "))")
      }
    }
    self.order = order ?? .newest
    self.limit = limit ?? Self.defaultLimit
  }

  /// The query as the part of a URL after its `?`.
  public var text: String {
    var terms = EventTerms.list(filter)
    if let since = filter.since { terms.append(("since", since.rfc3339Milliseconds)) }
    if let until = filter.until { terms.append(("until", until.rfc3339Milliseconds)) }
    if order != .newest { terms.append(("order", order.rawValue)) }
    terms.append(("limit", String(limit)))
    if let after { terms.append(("after", String(after))) }
    return terms.map { "\($0.name)=\(QueryText.encode($0.value))" }.joined(separator: "&")
  }
}
