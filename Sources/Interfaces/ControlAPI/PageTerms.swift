import Jobs

/// The terms of a query that say which page of a list is meant.
struct PageTerms {
  static let names = ["order", "limit", "after"]
  /// The numbers of entries that a page may have.
  static let limits = 1...1000
  /// The number of entries of a page if the caller gives none.
  static let defaultLimit = 100
  static let wrongPlace = InvalidRequest("after has to be what next was on the page before")

  var order: JobOrder?
  var limit: Int?
  var after: String?

  /// Adds a term.
  mutating func add(_ value: String, as name: String) throws(InvalidRequest) {
    switch name {
    case "order":
      guard let word = JobOrder(rawValue: value) else { throw InvalidRequest("order has to be oldest or newest") }
      order = try FilterTerms.once(order, word, name)
    case "limit":
      guard let number = Int(value), Self.limits.contains(number) else {
        throw InvalidRequest("limit has to be a number from 1 to 1000")
      }
      limit = try FilterTerms.once(limit, number, name)
    default: after = try FilterTerms.once(after, value, name)
    }
  }
}
