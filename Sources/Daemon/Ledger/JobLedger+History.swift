package import Jobs
package import Linux
import Messages
import SQLite
import Seams

extension JobLedger {
  /// The file in the state directory that says when jobs may leave.
  private static let paceName = "ledger.pace"

  /// Reads what ``notePace(_:)`` left; nil if there is nothing that can be read.
  package func readPace() -> String? {
    do throws(FileError) {
      let file = try files.directory.openOurs(Array(Self.paceName.utf8))
      return String(validating: try file.read(at: 0, count: 256), as: UTF8.self)
    } catch {
      return nil
    }
  }

  /// Replaces the note for the next daemon. It is not synced: if it is lost, jobs stay one more day.
  package func notePace(_ text: String) throws(FileError) { try files.replace(Self.paceName, with: text) }

  /// Removes jobs that are done, with their attempts and events. Numbers are not given again; an id may come again.
  package func forget(_ numbers: [JobNumber]) async throws {
    try await writer.perform { batch in
      for number in numbers { try batch.forget(number) }
      // so that no number is given again
      try LastNumbers(jobs: batch.memory.position.lastNumber, events: batch.counts.lastEvent).keep(in: batch.db)
      Failpoint.historyCommitting.pass()
    }
    Failpoint.historyCommitted.pass()
  }

  /// Returns some of the jobs that ended before a time and whose file was disposed of.
  /// It reads the oldest jobs and stops where all are too young, so that no job pays for an index.
  package func done(before time: Timestamp, after: JobNumber?, limit: Int) async throws -> [JobNumber] {
    let now = clock.now().microseconds
    return try await read { db in
      var rows = try db.rows(
        """
        SELECT number, \(LedgerSchema.Condition.isDone), finished_at, created_at FROM job WHERE number > ? ORDER BY number
        """, [after?.rawValue ?? 0])
      var numbers: [JobNumber] = []
      var tooYoung = 0
      while numbers.count < limit, tooYoung < Self.youngEnough, let row = try rows.next() {
        let (number, isDone, finishedAt): (Int64, Bool, Int64?) = (row[0], row[1], row[2])
        let createdAt: Int64 = row[3]
        // a time in the future comes from a wrong clock and must not hide the next jobs
        tooYoung = createdAt >= time.microseconds && createdAt <= now ? tooYoung + 1 : 0
        if isDone, let finishedAt, finishedAt < time.microseconds { numbers.append(JobNumber(rawValue: number)) }
      }
      return numbers
    }
  }

  /// The number of jobs in a row that must be too young before all that follow count as too young, even if a clock was set.
  private static let youngEnough = 1024
}

extension LedgerBatch {
  /// Removes everything about a job that is done; does nothing for any other job.
  mutating func forget(_ number: JobNumber) throws {
    guard let job = try jobs("job.number = ? AND \(LedgerSchema.Condition.isDone)", [number.rawValue]).first else {
      return
    }
    // The cleanup of a group needs the list of its files.
    if job.ticket.parcel.group != nil, try CleanupRow.cleanup(of: number, in: db) != nil { return }
    // first, because the job's row leads to the events
    try EventRow.remove(number, from: db)
    for (table, column) in LedgerSchema.tablesOfJobs where table != "event" {
      try db.execute("DELETE FROM \(table) WHERE \(column) = ?", [number.rawValue])
    }
    left(job)
  }
}

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
      let facts: [(any Bindable)?] = [spool, size, sum, route.storage, route.bucket, route.backend, since.microseconds]
      return try db.first(ContentRow.select, facts) { row in
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
        let total = batch.db.totalChanges
        try batch.db.execute(ContentRow.forget, [spool, before, Self.forgottenAtOnce])
        return batch.db.totalChanges - total
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

  /// Of the jobs that sent the same bytes the last one counts: its object is there.
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
