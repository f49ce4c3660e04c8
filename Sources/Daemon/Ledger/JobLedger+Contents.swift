public import Jobs
import Linux

extension JobLedger {
  /// The most bytes of files that are remembered for a spool, by their number.
  public static let mostContents = 1_000_000
  /// The number of rows that one commit removes.
  private static let forgottenAtOnce = 1000

  /// Returns what is remembered of bytes that were registered from a spool since a time; nil if there is nothing.
  public func earlierContent(
    _ spool: String, size: Int64, sha256: String, since: Timestamp
  ) async throws -> EarlierContent? {
    try await read { db in try ContentRow.first(spool, size: size, sha256: sha256, since: since, in: db) }
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
