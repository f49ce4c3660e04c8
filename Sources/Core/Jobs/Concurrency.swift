/// The setting `concurrency`: the number of attempts that may be in flight at once.
public enum Concurrency: Hashable, Sendable {
  /// A number that is found for each destination, from how it answers: see ``ConcurrencyLimit``.
  case auto
  /// A number over all destinations together.
  case fixed(Int)
}
