public import Jobs
import Messages

/// A filter whose findings come in pages.
public protocol PagedFilter: Hashable, Sendable {
  /// The position at which a page ended, as ``PageQuery/after`` has it.
  associatedtype Place: Hashable, Sendable, CustomStringConvertible
  /// The order if the caller gives none.
  static var usualOrder: JobOrder { get }
  /// Creates a filter for everything.
  init()
  /// Reads a position; nil for a text that is none.
  static func place(_ text: String) -> Place?
}

/// A filter and a page of what it finds.
public struct PageQuery<Filter: PagedFilter>: Hashable, Sendable {
  /// The numbers of entries that a page may have.
  public static var limits: ClosedRange<Int> { 1...1000 }

  /// The filter.
  public var filter: Filter
  /// The order: the oldest or the newest entries first.
  public var order: JobOrder
  /// The position at which the page before ended.
  public var after: Filter.Place?
  /// The largest number of entries on the page, within ``limits``.
  public var limit: Int
  /// False if what may name a file is to be left out, of jobs alone.
  public var names = true

  /// Creates a query; without arguments it is for the first page of everything.
  public init(
    filter: Filter = Filter(), order: JobOrder = Filter.usualOrder, after: Filter.Place? = nil, limit: Int = 100
  ) {
    (self.filter, self.order, self.after, self.limit) = (filter, order, after, limit)
  }
}

/// The query of `GET /v1/jobs`.
public typealias ListQuery = PageQuery<JobFilter>
/// The query of `GET /v1/log`.
public typealias LogQuery = PageQuery<EventFilter>

extension PageQuery: QueryOfTerms where Filter: QueryOfTerms {
  package init() { self.init(filter: Filter()) }

  package static var terms: [QueryTerm<Self>] {
    Filter.terms.map { $0.within(\.filter) } + [
      .value(
        "order", \.order, usual: Filter.usualOrder, read: { JobOrder(rawValue: $0) },
        form: .formOneOf(values: "oldest, newest"), write: \.rawValue),
      .value(
        "limit", \.limit, usual: Self().limit, read: { Int($0).flatMap { limits.contains($0) ? $0 : nil } },
        form: .formRange(least: limits.lowerBound, most: limits.upperBound), write: { String($0) }),
      .value("after", \.after, read: { text, _ in Filter.place(text) }, form: .formNext, write: \.description),
    ] + (Filter.self == JobFilter.self ? [.names(\.names)] : [])
  }
}
