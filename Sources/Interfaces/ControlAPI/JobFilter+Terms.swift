public import Jobs
import Messages

extension JobFilter: PagedFilter {
  /// The oldest jobs come first.
  public static var usualOrder: JobOrder { .oldest }

  /// Reads the `next` of a page.
  public static func place(_ text: String) -> PageCursor? { PageCursor(text) }
}

extension JobFilter: QueryOfTerms {
  package static let terms: [QueryTerm<JobFilter>] = [
    .hosts(\.hosts),
    .words(
      "state", \.states, longest: .max, read: { JobState(rawValue: $0) },
      form: .formOneOf(values: JobState.allCases.map(\.rawValue).joined(separator: ", ")), write: \.rawValue),
    .value(
      "step", \.step, longest: .max, read: { text, _ in Step(rawValue: text) },
      form: .formOneOf(values: "upload, register"), write: \.rawValue),
    .string("spool", \.spool), .string("name", \.name), .string("error", \.error),
    .time("since", \.since, longest: .max), .time("until", \.until, longest: .max),
    .value(
      "like", \.like, longest: .max,
      read: { text, _ in if case .number(let number)? = JobReference(text) { number } else { nil } },
      form: .formJob, write: \.description),
  ]
}
