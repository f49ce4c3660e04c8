public import Jobs
import Linux
import SQLite

extension JobLedger {
  /// The most bytes of files that are remembered for a spool, by their number.
  public static let mostContents = 1_000_000
  /// The time for which the bytes of a registered file are remembered. What repeats itself (a scanner's memory, a forwarded mail, a copied
  /// folder) does so within weeks; after a season the same bytes are more likely to be meant.
  public static let contentMemory = Duration.seconds(90 * 86_400)
  /// The number of rows that one commit removes.
  private static let forgottenAtOnce = 1000

  /// Returns what is remembered of bytes that were registered from a spool by one way since a time; nil if there is nothing.
  public func earlierContent(
    _ spool: String, _ route: Route, size: Int64, sha256: String, since: Timestamp
  ) async throws -> EarlierContent? {
    try await read { db in try ContentRow.first(spool, route, size: size, sha256: sha256, since: since, in: db) }
  }

  /// Returns true if another job may still store an object under the key of a job.
  public func isKeyWanted(by others: Job) async throws -> Bool {
    let (number, ticket) = (others.number.rawValue, others.ticket)
    return try await read { db in
      let found: Int? = try db.value(
        """
        SELECT 1 FROM job JOIN ticket ON ticket.job = job.number
        WHERE \(LedgerSchema.Condition.unfinished) AND job.spool = ? AND job.step = 'upload' AND job.number <> ?
          AND ticket.bucket = ? AND ticket.key = ? LIMIT 1
        """, [ticket.spool, number, ticket.bucket, ticket.key])
      return found != nil
    }
  }

  /// Forgets the bytes that were registered too long ago, and of each spool those beyond ``mostContents``.
  ///
  /// - Parameters:
  ///   - most: the most rows of a spool.
  ///   - oldest: the time since which the bytes of a spool are remembered; nil forgets all of a spool.
  public func forgetContents(most: Int = mostContents, keepingSince oldest: (String) -> Timestamp?) async throws {
    for spool in try await read({ db in try ContentRow.spools(in: db) }) {
      let crowded = try await read { db in try ContentRow.bound(spool, most: most, in: db) }
      let before = max(oldest(spool) ?? Timestamp(microseconds: .max), crowded ?? Timestamp(microseconds: .min))
      while try await writer.perform({ batch in
        try ContentRow.forget(spool, before: before, atMost: Self.forgottenAtOnce, in: batch.db)
      }) > 0 {
        try Task.checkCancellation()
      }
    }
  }
}
