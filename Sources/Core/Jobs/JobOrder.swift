/// The order in which jobs are listed.
public enum JobOrder: String, Sendable, CaseIterable {
  /// Ascending by number.
  case oldest
  /// Descending by number.
  case newest
}
