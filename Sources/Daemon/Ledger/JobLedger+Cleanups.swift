public import Jobs
import SQLite

extension JobLedger {
  /// Begins cleanups that are due, as far as the destinations' shares allow: the longest due first, up to `limit` at each wanted
  /// destination.
  public func beginDueCleanups(
    upTo limit: Int, in lanes: Lanes, where isWanted: @escaping @Sendable (Destination) -> Bool = { _ in true }
  ) async throws -> [Cleanup] {
    try await writer.perform { batch in try batch.beginDueCleanups(upTo: limit, in: lanes, where: isWanted) }
  }

  /// Records the end of a try of a cleanup. Its job may have gone on meanwhile, or left the ledger.
  ///
  /// - Parameter landing: the time for which a request without an answer may still take effect at the storage.
  public func finish(_ cleanup: Cleanup, _ result: CleanupResult, landing: Duration) async throws {
    try await writer.perform { batch in try batch.finish(cleanup, result, landing: landing) }
  }

  /// Returns the number of cleanups that are owed, including those of jobs that have left the ledger.
  public func cleanupsOwed() async throws -> Int {
    try await read { db in try db.value("SELECT count(*) FROM cleanup") ?? 0 }
  }

  /// Returns the first cleanup that a job owes at its storage; nil if there is none.
  public func cleanup(of job: JobNumber) async throws -> Cleanup? {
    try await read { db in try CleanupRow.cleanup(of: job, in: db) }
  }
}
