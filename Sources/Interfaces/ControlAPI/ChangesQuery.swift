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

  /// Creates a query.
  public init(after: Int64, seen: String?, wait: Int = 0) {
    self.after = after
    self.seen = seen
    self.wait = wait
  }

  /// Reads the part of a URL after its `?`.
  ///
  /// - Throws: ``InvalidRequest`` that names the parameter.
  public init(parsing query: some StringProtocol) throws(InvalidRequest) {
    var (after, seen, wait): (Int64?, String?, Int?) = (nil, nil, nil)
    for (name, value) in try QueryText.pairs(query) {
      switch name {
      case "after":
        guard let sequence = Int64(value), sequence >= 0 else {
          throw InvalidRequest("after has to be the number of an event")
        }
        after = try FilterTerms.once(after, sequence, name)
      case "seen":
        guard !value.isEmpty else { throw InvalidRequest("seen needs a value") }
        seen = try FilterTerms.once(seen, value, name)
      case "wait":
        guard let span = RelativeTime.duration(value), span <= .seconds(Self.longestWait) else {
          throw InvalidRequest("wait has to be a span of time of at most \(Self.longestWait)s")
        }
        wait = try FilterTerms.once(wait, Int(span.wholeSeconds), name)
      default: throw InvalidRequest.unknown(name, among: ["after", "seen", "wait"])
      }
    }
    self.init(after: after ?? 0, seen: seen, wait: wait ?? 0)
  }

  /// The query as the part of a URL after its `?`.
  public var text: String {
    "after=\(after)" + (seen.map { "&seen=\(QueryText.encode($0))" } ?? "") + (wait > 0 ? "&wait=\(wait)" : "")
  }
}
