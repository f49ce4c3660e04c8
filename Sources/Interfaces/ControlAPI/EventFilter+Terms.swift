public import Jobs
import Messages

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
    .words(
      "by", \.users, most: 64, read: { $0.isEmpty ? nil : $0 }, form: .formUser, write: { $0 }),
    .words(
      "event", \.events, read: { EventMessage.names.contains($0) ? $0 : nil },
      form: .formOneOf(values: EventMessage.names.joined(separator: ", ")), write: { $0 }),
    .string("spool", \.spool), .string("destination", \.destination), .string("name", \.name),
  ]

  /// The users, as `by` has them; `*` is any person.
  private var users: Set<String> {
    get { if case .named(let users)? = by { users } else { by == nil ? [] : ["*"] } }
    set { by = newValue.contains("*") ? .anyone : newValue.isEmpty ? nil : .named(newValue) }
  }
}
