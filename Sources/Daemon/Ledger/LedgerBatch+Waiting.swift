import Jobs
import SQLite

extension LedgerBatch {
  /// Returns the jobs that wait at a destination for a key or the network, the oldest first.
  mutating func waiting(at destination: Destination, limit: Int) throws -> [Job] {
    try jobs(
      """
      \(LedgerSchema.Condition.waiting) AND job.destination = ? \
      ORDER BY job.number LIMIT ?
      """, [destination.text, limit])
  }
}
