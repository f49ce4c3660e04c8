import Jobs
import SQLite

extension LedgerBatch {
  /// Returns the jobs that wait at a destination for a key or the network, the oldest first.
  mutating func waiting(at destination: String, limit: Int) throws -> [Job] {
    try jobs(
      """
      job_state.state IN ('awaiting-credentials', 'awaiting-network') AND job_state.destination = ? \
      ORDER BY job_state.job LIMIT ?
      """, [destination, limit])
  }

  /// Returns the plain jobs that would go on to a destination by themselves.
  mutating func unfinishedPlain(at destination: String, limit: Int) throws -> [Job] {
    try [false, true].flatMap { isLarge in
      memory.plain.first(limit, at: destination, isLarge: isLarge, besides: [])
    }.compactMap { try job($0) }
  }

  /// Returns the others that would go on to a destination by themselves, after a number: so each row is read once.
  mutating func unfinished(at destination: String, after last: JobNumber, limit: Int) throws -> [Job] {
    try jobs(
      """
      \(LedgerSchema.Condition.unfinished) AND job_state.job > ? \
      AND job_state.state NOT IN ('active', 'awaiting-confirmation') AND job_state.destination = ? \
      ORDER BY job_state.job LIMIT ?
      """, [last.rawValue, destination, limit])
  }
}
