package import Jobs
import Messages
import SQLite

/// The cleanups that jobs owe at a storage, in the same transaction as the jobs.
extension LedgerBatch {
  mutating func applyCleanup(_ change: CleanupChange, of job: Job) throws {
    switch change {
    case .owe(let cleanup):
      var all = try CleanupRow.cleanup(of: job.number, key: cleanup.key, in: db) ?? cleanup
      if all != cleanup { all.add(cleanup) }
      try CleanupRow.write(all, into: db)
      // Files that have left the group are deleted as well.
      if cleanup.aim == .remove, cleanup.isOfGroup { try CleanupRow.removeAll(of: job.number, in: db) }
    case .drop: try CleanupRow.delete(job.number, key: job.ticket.key, from: db)
    case .hurry:
      guard var cleanup = try CleanupRow.cleanup(of: job.number, key: job.ticket.key, in: db) else { return }
      cleanup.hurry(clock.steady())
      try CleanupRow.write(cleanup, into: db)
    }
    cleanupsDidChange()
  }

  /// Begins the jobs and the cleanups that are due and not held. One cleanup at each storage goes before the jobs, so that no backlog
  /// delays it for ever; the others come after them.
  mutating func beginDueWork(in lanes: Lanes) throws -> (jobs: [Job], cleanups: [Cleanup]) {
    let cleaning = counts.cleaning
    let first = try beginDueCleanups(upTo: 1, in: lanes) { cleaning[$0] == 0 }
    let jobs = try beginDue(upTo: lanes.all.slots, in: lanes)
    return (jobs, first + (try beginDueCleanups(upTo: lanes.all.slots, in: lanes)))
  }

  /// Begins cleanups that are due and not held: one at each destination in turn, so that none takes the slots of all.
  mutating func beginDueCleanups(
    upTo limit: Int, in lanes: Lanes, where isWanted: (Destination) -> Bool = { _ in true }
  ) throws -> [Cleanup] {
    if counts.nextCleanups.isEmpty { return [] }
    passTimeAtGates()
    var begun: [Cleanup] = []
    var rest = counts.nextCleanups.keys.filter { lanes.contains($0) && isWanted($0) }.sorted()
    for _ in 0..<limit where !rest.isEmpty {
      var more: [Destination] = []
      for destination in rest {
        guard lanes.mayBegin(at: destination, counts.inFlight),
          var cleanup = try nextCleanup(at: destination)
        else { continue }
        cleanup.begin(clock.steady())
        try CleanupRow.write(cleanup, into: db)
        cleanupsDidChange()
        counts.inFlight.add(1, at: destination)
        counts.cleaning.add(1, at: destination)
        try applyToGate(.began(cleanup.job), at: destination)
        begun.append(cleanup)
        more.append(destination)
      }
      rest = more
    }
    return begun
  }

  /// Returns the cleanup to begin next. At a gate that allows a probe the cleanup need not be due: the gate decides how often probes go.
  private func nextCleanup(at destination: Destination) throws -> Cleanup? {
    guard let time = counts.nextCleanup(at: destination), time <= clock.steady() else { return nil }
    let isProbe = if case .halfOpen? = counts.gates[destination]?.state { true } else { false }
    return try CleanupRow.first(
      "storage = ? AND next_at <= ? AND \(LedgerSchema.Condition.isUnpaused("cleanup")) ORDER BY next_at, job",
      [destination.name, isProbe ? Int64.max : clock.steady().microseconds], in: db)
  }

  /// Folds the end of a try into the cleanup, the job, and the gate.
  mutating func finish(_ begun: Cleanup, _ result: CleanupResult, landing: Duration) throws {
    counts.inFlight.add(-1, at: begun.destination)
    counts.cleaning.add(-1, at: begun.destination)
    assert(counts.cleaning[begun.destination] >= 0, "a cleanup ends twice")
    // A cleanup sends nothing to a storage whose uploads are granted, so it opens no gate.
    let isAsked = counts.grantors[begun.destination] == nil
    try applyToGate(isAsked ? result.gateEvent(of: begun.job) : .left(begun.job), at: begun.destination)
    guard var cleanup = try CleanupRow.cleanup(of: begun.job, key: begun.key, in: db) else { return }
    cleanupsDidChange()
    let remote = cleanup.end(result, of: begun, landing: landing, steady: clock.steady())
    if cleanup.nextAt == nil {
      try CleanupRow.delete(begun.job, key: begun.key, from: db)
    } else {
      try CleanupRow.write(cleanup, into: db)
    }
    if remote == .pending { return }
    let refusal: Failure? = if case .refused(let failure) = result { failure } else { nil }
    if let job = try job(begun.job), job.ticket.key == begun.key {
      _ = try apply(.cleaned(remote, refusal), to: job)
    } else if remote == .objectLeft {
      // The job has left the ledger, or the file has left its group.
      let (key, number, storage) = (DisplayText.escape(begun.key), begun.job.rawValue, begun.destination.text)
      try publish(
        Occurrence(
          .objectLeft, of: .destination(begun.destination), at: clock.now(),
          message: refusal.map { .objectOfJobMayBeLeft(key: key, job: number, destination: storage, why: $0.message) }
            ?? .objectOfJobLeft(key: key, job: number, destination: storage), reason: refusal?.message))
    }
  }

  mutating func makeCleanupsDue(at destination: Destination) throws {
    guard counts.nextCleanups[destination] != nil else { return }
    try CleanupRow.makeDue(at: clock.steady(), storage: destination.name, in: db)
    cleanupsDidChange()
  }

  func cleanup(of job: JobNumber) throws -> Cleanup? { try CleanupRow.cleanup(of: job, in: db) }
}

extension JobLedger {
  package func beginDueWork(in lanes: Lanes) async throws -> (jobs: [Job], cleanups: [Cleanup]) {
    try await writer.perform { batch in try batch.beginDueWork(in: lanes) }
  }

  /// Records the end of a try of a cleanup. Its job may have gone on meanwhile, or left the ledger.
  /// `landing`: the time for which a request without an answer may still take effect at the storage.
  package func finish(_ cleanup: Cleanup, _ result: CleanupResult, landing: Duration) async throws {
    try await writer.perform { batch in try batch.finish(cleanup, result, landing: landing) }
  }

  package func cleanupsOwed() async throws -> Int {
    try await read { db in try db.value("SELECT count(*) FROM cleanup") ?? 0 }
  }

  package func cleanup(of job: JobNumber) async throws -> Cleanup? {
    try await read { db in try CleanupRow.cleanup(of: job, in: db) }
  }
}

/// A row of `cleanup`: the work that is owed at a storage.
enum CleanupRow {
  static let declared =
    [
      "job INTEGER NOT NULL", "id BLOB NOT NULL", "spool TEXT NOT NULL", "storage TEXT NOT NULL",
      "bucket TEXT NOT NULL",
      "key TEXT NOT NULL", "aim TEXT NOT NULL", "version TEXT", "upload_id TEXT", "upload_unheard_at INTEGER",
      "deletion_unheard_at INTEGER", "has_removed INTEGER NOT NULL", "tries INTEGER NOT NULL", "next_at INTEGER",
    ] + FailureColumns.declared
  private static let columns = declared.names.listed
  private static let insertSQL = SQL.insertion(into: "cleanup", declared.names, replacing: true)

  /// Writes a cleanup in place of the one that the same job owed under the same key before.
  static func write(_ cleanup: Cleanup, into db: Database) throws {
    assert(cleanup.nextAt != nil || cleanup.tries > 0, "a cleanup in flight that was never begun")
    var row = try db.binding(
      insertSQL,
      [
        cleanup.job.rawValue, cleanup.id.ledgerBytes, cleanup.spool, cleanup.storage, cleanup.bucket, cleanup.key,
        cleanup.aim.rawValue, cleanup.version, cleanup.uploadID, cleanup.uploadUnheardAt?.microseconds,
        cleanup.deletionUnheardAt?.microseconds, cleanup.hasRemoved, cleanup.tries, cleanup.nextAt?.microseconds,
      ])
    FailureColumns.write(cleanup.failure, to: &row)
    try row.run()
  }

  static func delete(_ job: JobNumber, key: String, from db: Database) throws {
    try db.execute("DELETE FROM cleanup WHERE job = ? AND key = ?", [job.rawValue, key])
  }

  static func removeAll(of job: JobNumber, in db: Database) throws {
    try db.execute("UPDATE cleanup SET aim = 'remove' WHERE job = ? AND aim = 'look'", [job.rawValue])
  }

  static func cleanup(of job: JobNumber, key: String, in db: Database) throws -> Cleanup? {
    try first("job = ? AND key = ?", [job.rawValue, key], in: db)
  }

  /// Returns the first cleanup that a job owes: one in flight, else that of the job's own key, with which the other keys begin.
  static func cleanup(of job: JobNumber, in db: Database) throws -> Cleanup? {
    try first("job = ? ORDER BY next_at IS NOT NULL, key", [job.rawValue], in: db)
  }

  static func first(_ condition: String, _ arguments: [(any Bindable)?], in db: Database) throws -> Cleanup? {
    try db.first("SELECT \(columns) FROM cleanup WHERE \(condition) LIMIT 1", arguments, cleanup)
  }

  static func all(in db: Database) throws -> [Cleanup] {
    try db.all("SELECT \(columns) FROM cleanup ORDER BY job, next_at IS NOT NULL, key", [], cleanup)
  }

  /// Returns the time at which the first cleanup is due at each destination. It leaves out those that are in flight or whose
  /// spool somebody paused.
  static func nextTimes(_ db: Database) throws -> [Destination: Timestamp] {
    let storages =
      "SELECT storage FROM cleanup WHERE storage > ? AND next_at IS NOT NULL ORDER BY storage LIMIT 1"
    let unpaused = LedgerSchema.Condition.isUnpaused("cleanup")
    let times = """
      SELECT next_at FROM cleanup WHERE storage = ? AND next_at IS NOT NULL AND \(unpaused) ORDER BY next_at LIMIT 1
      """
    var next: [Destination: Timestamp] = [:]
    for storage in try db.distinct(storages) {
      if let time: Int64 = try db.value(times, [storage]) {
        next[.storage(storage)] = Timestamp(microseconds: time)
      }
    }
    return next
  }

  /// Makes all cleanups due: at a start none is in flight, and the steady clock has started anew. Requests that were under way when the
  /// last daemon ended count as sent now, including the deletion of a try in flight.
  static func makeAllDue(at steady: Timestamp, in db: Database) throws {
    try db.execute(
      """
      UPDATE cleanup SET next_at = ?1, upload_unheard_at = iif(upload_unheard_at IS NULL, NULL, ?1), \
      deletion_unheard_at = iif(deletion_unheard_at IS NULL AND (next_at IS NOT NULL OR aim <> 'remove'), NULL, ?1)
      """, [steady.microseconds])
  }

  static func makeDue(at steady: Timestamp, storage: String, in db: Database) throws {
    try db.execute(
      "UPDATE cleanup SET next_at = ? WHERE storage = ? AND next_at > ?",
      [steady.microseconds, storage, steady.microseconds])
  }

  private static func cleanup(_ row: Row) throws -> Cleanup {
    var reader = ColumnReader(row: row)
    return Cleanup(
      job: JobNumber(rawValue: reader.next()), id: try reader.nextID(), spool: reader.next(), storage: reader.next(),
      bucket: reader.next(), key: reader.next(), aim: try reader.nextCase(), version: reader.optional(),
      uploadID: reader.optional(), uploadUnheardAt: reader.optionalTime(), deletionUnheardAt: reader.optionalTime(),
      hasRemoved: reader.next(), tries: reader.nextCount(), nextAt: reader.optionalTime(),
      failure: try FailureColumns.read(from: &reader))
  }
}
