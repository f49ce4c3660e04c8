import Messages

/// The query of `GET /v1/explain`: `path`, a file's path or only its name, and `size` for a file that is still to come.
public struct ExplainQuery: Hashable, Sendable {
  /// The bytes of the path, which need not be UTF-8. If it begins with `/` it is a path, else a name below a spool.
  public var path: [UInt8]
  /// The number of bytes of a file that is to be dropped under this path; nil to ask about what is there. With it, a `/` at the
  /// end of the path means a directory.
  public var size: Int64?

  /// Creates a query about a path or a name.
  public init(path: [UInt8], size: Int64? = nil) { (self.path, self.size) = (path, size) }
}

extension ExplainQuery: QueryOfTerms {
  package init() { self.init(path: []) }

  package static let terms: [QueryTerm<ExplainQuery>] = [
    QueryTerm(name: "path", isList: false) { (query, path, _) in
      query.path = path
    } write: {
      $0.path
    },
    .value(
      "size", \.size, read: { text, _ in Int64(text).flatMap { $0 < 0 ? nil : $0 } }, form: .formBytes,
      write: { String($0) }),
  ]

  private static let longestPath = 4096

  package func check() throws(InvalidRequest) {
    guard (1...Self.longestPath).contains(path.count), !path.contains(0) else {
      throw InvalidRequest(.valueHasToBe(name: "path", form: .formPath(count: Self.longestPath)))
    }
  }
}
