public import Jobs

/// The query of `GET /v1/jobs`: a filter and a page.
public struct ListQuery: Hashable, Sendable {
  /// The numbers of jobs that a page may have.
  public static let limits = 1...1000
  /// The number of jobs of a page if the caller gives none.
  public static let defaultLimit = 100

  /// The filter for the jobs.
  public var filter: JobFilter
  /// The position at which the page before ended.
  public var after: PageCursor?
  /// The order: the oldest or the newest jobs first.
  public var order: JobOrder
  /// The largest number of jobs on the page, within ``limits``.
  public var limit: Int

  /// Creates a query; without arguments it is for the first page of all jobs.
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
  /// - Parameter now: the time that a relative `since` or `until` counts from.
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

  /// Only the filter, as the part of a URL after its `?`.
  static func text(of filter: JobFilter) -> String {
    FilterTerms.list(filter).map { "\($0.name)=\(QueryText.encode($0.value))" }.joined(separator: "&")
  }

  /// Reads only a filter.
  ///
  /// - Parameter now: the time that a relative `since` or `until` counts from.
  /// - Throws: ``InvalidRequest`` that names the parameter.
  public static func filter(parsing query: some StringProtocol, now: Timestamp) throws(InvalidRequest) -> JobFilter {
    var filter = JobFilter()
    for (name, value) in try QueryText.pairs(query) { try FilterTerms.add(value, as: name, to: &filter, now: now) }
    return filter
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
