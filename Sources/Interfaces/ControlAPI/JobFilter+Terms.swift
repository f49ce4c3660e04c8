public import Jobs

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
      refusal: {
        "state \"\($0)\" is not known; it is one of \(JobState.allCases.map(\.rawValue).joined(separator: ", "))"
      },
      write: \.rawValue),
    .value(
      "step", \.step, longest: .max, read: { text, _ in Step(rawValue: text) },
      refusal: { "step \"\($0)\" is not known; it is upload or register" }, write: \.rawValue),
    .string("spool", \.spool), .string("name", \.name), .string("error", \.error),
    .time("since", \.since, longest: .max), .time("until", \.until, longest: .max),
    .value(
      "like", \.like, longest: .max,
      read: { text, _ in if case .number(let number)? = JobReference(text) { number } else { nil } },
      refusal: { "like \"\($0)\" is not the number of a job" }, write: \.description),
  ]

  package static func unknown(_ name: String) -> InvalidRequest {
    InvalidRequest("\(name) is not known; a filter has \(names.joined(separator: ", "))")
  }
}
