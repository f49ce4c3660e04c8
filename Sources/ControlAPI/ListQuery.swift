public import Jobs

/// What `GET /v1/jobs` is asked: a filter and a page.
public struct ListQuery: Hashable, Sendable {
  /// How many jobs a page may have.
  public static let limits = 1...1000
  /// How many it has where the caller does not say.
  public static let defaultLimit = 100

  /// Which jobs are meant.
  public var filter: JobFilter
  /// Where the page before ended.
  public var after: PageCursor?
  /// Whether the oldest or the newest jobs come first.
  public var order: JobOrder
  /// How many jobs the page may have, within ``limits``.
  public var limit: Int

  /// A query; without arguments the first page of all jobs.
  public init(
    filter: JobFilter = JobFilter(), after: PageCursor? = nil, order: JobOrder = .oldest, limit: Int = defaultLimit
  ) {
    self.filter = filter
    self.after = after
    self.order = order
    self.limit = limit
  }

  /// Reads the part of a URL after its `?`. `state` may be repeated or have several values with commas between.
  ///
  /// - Parameter now: what a relative `since` or `until` is reckoned from.
  /// - Throws: ``InvalidRequest`` that names the parameter.
  public init(parsing query: some StringProtocol, now: Timestamp) throws(InvalidRequest) {
    self.init()
    var seenLimit = false
    var seenOrder = false
    for (name, value) in try QueryText.pairs(query) {
      switch name {
      case "after":
        guard after == nil, let cursor = PageCursor(value) else {
          throw InvalidRequest("after has to be what next was on the page before")
        }
        after = cursor
      case "order":
        guard !seenOrder, let order = JobOrder(rawValue: value) else {
          throw InvalidRequest("order has to be oldest or newest")
        }
        seenOrder = true
        self.order = order
      case "limit":
        guard !seenLimit, let limit = Int(value), Self.limits.contains(limit) else {
          throw InvalidRequest("limit has to be a number from 1 to 1000")
        }
        seenLimit = true
        self.limit = limit
      case _ where FilterTerms.names.contains(name):
        try FilterTerms.add(value, as: name, to: &filter, now: now)
      default:
        let known = FilterTerms.names + ["order", "limit", "after"]
        throw InvalidRequest("parameter \"\(name)\" is not known; there are \(known.joined(separator: ", "))")
      }
    }
  }

  /// The query as the part of a URL after its `?`.
  public var text: String {
    var terms = FilterTerms.list(filter)
    if order != .oldest { terms.append(("order", order.rawValue)) }
    terms.append(("limit", String(limit)))
    if let after { terms.append(("after", after.description)) }
    return terms.map { "\($0.name)=\(QueryText.encode($0.value))" }.joined(separator: "&")
  }
}
