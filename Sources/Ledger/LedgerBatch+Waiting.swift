import GRDB
import Jobs

extension LedgerBatch {
  /// Returns the jobs that wait at a destination for a key or the network, the oldest first.
  mutating func waiting(at destination: String, limit: Int) throws -> [Job] {
    try jobs(
      "state IN ('awaiting-credentials', 'awaiting-network') AND destination = ? ORDER BY number LIMIT ?",
      [destination, limit])
  }

  /// Returns the jobs that would go on to a destination by themselves.
  mutating func unfinished(at destination: String, limit: Int) throws -> [Job] {
    try jobs(
      """
      \(LedgerSchema.Condition.unfinished) \
      AND state NOT IN ('active', 'awaiting-confirmation') AND destination = ? ORDER BY number LIMIT ?
      """, [destination, limit])
  }
}
