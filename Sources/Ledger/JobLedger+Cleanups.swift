import GRDB
public import Jobs

extension JobLedger {
  /// Begins up to `limit` cleanups that are due, as far as the destinations' shares allow: the one that is due longest first.
  public func takeCleanups(upTo limit: Int, in lanes: Lanes) async throws -> [Cleanup] {
    try await writer.perform { batch in try batch.takeCleanups(upTo: limit, in: lanes) }
  }

  /// Records how a try of a cleanup ended. Its job may have gone on meanwhile, or left the ledger.
  ///
  /// - Parameter startedAt: when the try began, in the time that people see.
  public func finish(_ cleanup: Cleanup, _ result: CleanupResult, startedAt: Timestamp) async throws {
    try await writer.perform { batch in try batch.finish(cleanup, result, startedAt: startedAt) }
  }

  /// How many jobs owe something at a storage, those included that have left the ledger.
  public func cleanupsOwed() async throws -> Int {
    try await read { db in try Int.fetchOne(db, sql: "SELECT count(*) FROM cleanup") ?? 0 }
  }

  /// The ids of the uploads in parts that jobs go on with, or that are to be aborted for one.
  public func ownedUploads() async throws -> Set<String> {
    try await read { db in
      try String.fetchSet(
        db, sql: "SELECT upload_id FROM multipart UNION SELECT upload_id FROM cleanup WHERE upload_id IS NOT NULL")
    }
  }

  /// What a job owes at its storage; nil where nothing is owed.
  public func cleanup(of job: JobNumber) async throws -> Cleanup? {
    try await read { db in try CleanupRow.first("job = ?", [job.rawValue], in: db) }
  }
}
