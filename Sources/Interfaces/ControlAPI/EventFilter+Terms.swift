public import Jobs

extension EventFilter: PagedFilter {
  /// The newest events come first.
  public static var usualOrder: JobOrder { .newest }

  /// Reads the number of an event.
  public static func place(_ text: String) -> Int64? { Int64(text).flatMap { $0 < 0 ? nil : $0 } }
}

extension EventFilter: QueryOfTerms {
  package static let terms: [QueryTerm<EventFilter>] =
    termsWithoutTimes + [.time("since", \.since), .time("until", \.until)]

  /// The terms without times, which a stream of events has.
  static let termsWithoutTimes: [QueryTerm<EventFilter>] = [
    .hosts(\.hosts),
    QueryTerm("by", isList: true, longest: QueryTerm<EventFilter>.longestText) {
      (filter, text, _) throws(InvalidRequest) in
      try filter.addUsers(text)
    } write: {
      switch $0.by {
      case nil: nil
      case .anyone: anyone
      case .named(let users): users.sorted().joined(separator: ",")
      }
    },
    .words(
      "event", \.events, read: { EventMessage.names.contains($0) ? $0 : nil },
      refusal: {
        "event \"\($0)\" is not known; it is one of \(EventMessage.names.joined(separator: ", "))"
      }, write: { $0 }),
    .string("spool", \.spool), .string("destination", \.destination), .string("name", \.name),
  ]

  /// Any person, as a value of `by`.
  private static let anyone = "*"
  /// The most users of `by`.
  private static let mostUsers = 64

  private mutating func addUsers(_ text: String) throws(InvalidRequest) {
    for word in text.split(separator: ",", omittingEmptySubsequences: false).map(String.init) {
      guard !word.isEmpty else { throw InvalidRequest("by has to be a user's name or id, or * for any person") }
      switch by {
      case _ where word == Self.anyone: by = .anyone
      case nil: by = .named([word])
      case .anyone: break
      case .named(let users):
        guard users.count < Self.mostUsers else {
          throw InvalidRequest("by has to have at most \(Self.mostUsers) users")
        }
        by = .named(users.union([word]))
      }
    }
  }
}
