import Messages

/// The query of `GET /v1/status`.
public struct StatusQuery: Hashable, Sendable {
  /// The hosts of a fleet that are meant; empty for all.
  public var hosts: Set<String>
  /// False if what may name a file is to be left out.
  public var names = true

  /// Creates a query.
  public init(hosts: Set<String>) { self.hosts = hosts }
}

extension StatusQuery: QueryOfTerms {
  package init() { self.init(hosts: []) }

  package static let terms: [QueryTerm<StatusQuery>] = [.hosts(\.hosts), .names(\.names)]
}
