/// The setting `concurrency`: the number of attempts that may be in flight at once.
public enum Concurrency: Hashable, Sendable {
  /// A limit for each destination, measured from its answers: see ``ConcurrencyLimit``.
  case auto
  /// A number for all destinations together.
  case fixed(Int)
}
