import Jobs
import Messages

/// The query of `GET /v1/changes`: the positions up to which a copy of the ledger is complete.
public struct ChangesQuery: Hashable, Sendable {
  /// The longest time that the daemon waits for a change, in seconds.
  public static let longestWait = 20
  /// The most events, and the most jobs, of an answer.
  public static let limit = 1000

  /// The sequence of the last event that the caller has.
  public var after: Int64
  /// The last answer's ``ChangesMessage/seen``; nil for a caller that has none.
  public var seen: String?
  /// The number of seconds to wait if there is no change.
  public var wait: Int
  /// False if what may name a file is to be left out.
  public var names = true

  /// Creates a query.
  public init(after: Int64, seen: String?, wait: Int = 0) {
    self.after = after
    self.seen = seen
    self.wait = wait
  }
}

extension ChangesQuery: QueryOfTerms {
  package init() { self.init(after: 0, seen: nil) }

  package static let terms: [QueryTerm<ChangesQuery>] = [
    .value(
      "after", \.after, usual: 0, read: { Int64($0).flatMap { $0 < 0 ? nil : $0 } }, form: .formEvent,
      write: { String($0) }),
    .string("seen", \.seen, longest: .max),
    .value(
      "wait", \.wait, usual: 0,
      read: { Duration.read($0).flatMap { $0 <= .seconds(longestWait) ? Int($0.wholeSeconds) : nil } },
      form: .formSpan(time: .seconds(longestWait)), write: { String($0) }),
    .names(\.names),
  ]
}
