package import Jobs
import Messages
import SQLite

/// The bytes that were registered: the table `content`.
extension JobLedger {
  /// The most files whose bytes are remembered for a spool.
  package static let mostContents = 1_000_000
  /// The time for which the bytes of a registered file are remembered. Unwanted repetitions (a scanner's memory, a forwarded mail, a
  /// copied folder) come within weeks; after months, the same bytes are probably sent on purpose.
  package static let contentMemory = Duration.seconds(90 * 86_400)
  private static let forgottenAtOnce = 1000

  /// Returns the record of bytes that were registered from a spool by one route since a time; nil if there is none.
  package func earlierContent(
    _ spool: String, _ route: Route, size: Int64, sha256: String, since: Timestamp
  ) async throws -> EarlierContent? {
    guard let sum = Hex.bytes(sha256) else { return nil }
    return try await read { db in
      let place: [(any Bindable)?] = [spool, size, sum, route.storage, route.bucket, route.backend, since.microseconds]
      return try db.first(ContentRow.select, place) { row in
        var reader = ColumnReader(row: row)
        return EarlierContent(
          job: JobNumber(rawValue: reader.next()), id: try reader.nextID(),
          receipt: UploadReceipt(
            bucket: route.bucket, key: reader.next(), size: size, etag: reader.optional(), version: reader.optional(),
            sha256: sha256, checksum: nil, contentType: reader.next(), uploadedAt: reader.nextTime()))
      }
    }
  }

  /// Returns true if another job may still store an object under this job's key.
  package func isKeyWanted(by others: Job) async throws -> Bool {
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

  /// Forgets the bytes that were registered before `oldest` (nil: all of the spool), and of each spool those beyond `most`.
  package func forgetContents(most: Int = mostContents, keepingSince oldest: (String) -> Timestamp?) async throws {
    let spools = try await read { db in
      try db.distinct("SELECT spool FROM content WHERE spool > ? ORDER BY spool LIMIT 1")
    }
    for spool in spools {
      // the first row beyond the limit
      let crowded: Int64? = try await read { db in
        try db.value(
          "SELECT registered_at FROM content WHERE spool = ? ORDER BY registered_at DESC LIMIT 1 OFFSET ?",
          [spool, most])
      }
      let (tooOld, tooMany) = (oldest(spool)?.microseconds ?? Int64.max, crowded ?? Int64.min)
      let before = max(tooOld, tooMany +| 1)
      while try await writer.perform({ batch -> Int in
        let changes = batch.db.totalChanges
        try batch.db.execute(ContentRow.forget, [spool, before, Self.forgottenAtOnce])
        return batch.db.totalChanges - changes
      }) > 0 {
        try Task.checkCancellation()
      }
    }
  }
}

extension LedgerBatch {
  /// Remembers the bytes of a job that this change registers, to recognize later files; does nothing for an empty file or without a sum
  /// of all bytes.
  mutating func remember(_ job: Job) throws {
    guard job.state == .registered, let receipt = job.stored?.receipt, let sum = receipt.sha256.flatMap(Hex.bytes),
      !sum.isEmpty, receipt.size > 0
    else { return }
    let ticket = job.ticket
    try db.execute(
      ContentRow.insert,
      [
        ticket.spool, receipt.size, sum, ticket.storage, ticket.bucket, ticket.backend, job.number.rawValue,
        ticket.id.ledgerBytes, receipt.key, receipt.etag, receipt.version, receipt.contentType,
        receipt.uploadedAt.microseconds, clock.now().microseconds,
      ])
  }
}

/// The statements for the rows of `content`.
enum ContentRow {
  private static let key = [
    "spool TEXT NOT NULL", "size INTEGER NOT NULL", "sha256 BLOB NOT NULL", "storage TEXT NOT NULL",
    "bucket TEXT NOT NULL", "backend TEXT NOT NULL",
  ]
  private static let identifying = key.names
  private static let facts = [
    "job INTEGER NOT NULL", "id BLOB NOT NULL", "key TEXT NOT NULL", "etag TEXT", "version TEXT",
    "content_type TEXT NOT NULL", "uploaded_at INTEGER NOT NULL", "registered_at INTEGER NOT NULL",
  ]
  /// The columns and the key, as the table declares them.
  static let declared = key + facts + ["PRIMARY KEY (\(identifying.listed))"]

  /// The last job that has stored them counts: its object is the one that is there.
  static let insert = """
    INSERT INTO content (\((identifying + facts.names).listed)) VALUES (\((identifying + facts).marks)) \
    ON CONFLICT DO UPDATE SET \(facts.names.excluded)
    """
  static let select =
    "SELECT \(facts.names.listed) FROM content WHERE (\(identifying.listed)) = (\(identifying.marks)) AND registered_at >= ?"
  /// Forgets rows of a spool that are older than a time, up to a number, the oldest first.
  static let forget = """
    DELETE FROM content WHERE (\(identifying.listed)) IN (
      SELECT \(identifying.listed) FROM content
      WHERE spool = ? AND registered_at < ? ORDER BY registered_at LIMIT ?)
    """
}
