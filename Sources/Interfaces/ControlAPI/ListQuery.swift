public import Jobs

/// The query of `GET /v1/jobs`: a filter and a page.
public struct ListQuery: Hashable, Sendable {
  /// The numbers of jobs that a page may have.
  public static let limits = PageTerms.limits
  /// The number of jobs of a page if the caller gives none.
  public static let defaultLimit = PageTerms.defaultLimit

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
    var page = PageTerms()
    for (name, value) in try QueryText.pairs(query) {
      switch name {
      case _ where PageTerms.names.contains(name): try page.add(value, as: name)
      case _ where FilterTerms.names.contains(name): try FilterTerms.add(value, as: name, to: &filter, now: now)
      default: throw InvalidRequest.unknown(name, among: FilterTerms.names + PageTerms.names)
      }
    }
    (order, limit) = (page.order ?? .oldest, page.limit ?? Self.defaultLimit)
    guard let place = page.after else { return }
    guard let cursor = PageCursor(place) else { throw PageTerms.wrongPlace }
    after = cursor
  }

  /// Only the filter, as the part of a URL after its `?`.
  static func text(of filter: JobFilter) -> String {
    QueryText.text(FilterTerms.list(filter))
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
    return QueryText.text(terms)
  }
}
