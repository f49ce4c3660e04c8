import Jobs
import SQLite

/// The memory of the writer between two commits.
struct LedgerMemory: Sendable {
  /// The position of the ledger: small, so that a batch can keep a copy to go back to.
  struct Position: Sendable {
    /// The last number given out.
    var lastNumber: Int64 = 0
    var counts = LedgerCounts()
    /// The gates whose rows must be written.
    var changedGates: Set<Destination> = []
    var successes: [Destination: LastSuccess] = [:]
    /// The jobs that wait for the name of their file, by the job that holds it.
    var waitForNames: [JobNumber: Set<JobNumber>] = [:]
  }

  /// The jobs in flight, so that their results need no reading; at most as many as there are slots.
  var active: [JobNumber: Job] = [:]
  /// The jobs that are begun next, by destination.
  var heads = HeadTable()
  var position = Position()
  /// Memory for the changes of a batch; empty between two.
  var changed = ChangedJobs()

  init() {}

  /// Reads the memory at the start, after ``LedgerOpening`` has ended the attempts that were in flight; changes keep it up to
  /// date from then on.
  init(reading db: Database, at steady: Timestamp) throws {
    let last = try LastNumbers.read(db)
    position.lastNumber = last.jobs
    position.counts.lastEvent = last.events
    position.counts.pauses = try PauseRow.read(db)
    position.counts.gates = try GateRow.read(db, steady)
    try tally(db)
    try recount(db)
    position.counts.nextCleanups = try CleanupRow.nextTimes(db)
    assert(active.isEmpty && position.counts.inFlight.total == 0, "an attempt outlived its daemon")
  }

  /// Counts all jobs by state and step, and finds the last one of each spool.
  private mutating func tally(_ db: Database) throws {
    position.counts.jobs = JobTally()
    var rows = try db.rows(
      """
      SELECT state, step, count(*), sum(size >> 32), sum(size & 0xFFFFFFFF), spool, max(created_at) \
      FROM job GROUP BY state, step, spool
      """)
    while let row = try rows.next() {
      var reader = ColumnReader(row: row)
      let state: JobState = try reader.nextCase()
      let step: Step = try reader.nextCase()
      // in halves, since a sum beyond 64 bits is an error for SQLite
      let (high, low): (Int64, Int64) = (row[3], row[4])
      position.counts.jobs.add(step, state, jobs: row[2], bytes: Int128(high) << 32 + Int128(low))
      let (spool, last): (String, Timestamp) = (row[5], Timestamp(stored: row[6]))
      position.counts.lastFiles[spool] = max(last, position.counts.lastFiles[spool] ?? last)
    }
    var routes = try db.rows(
      """
      SELECT job.spool, storage, backend, count(*) FROM job JOIN ticket ON ticket.job = job.number \
      WHERE state = 'queued' AND failure_code IS NOT ? GROUP BY job.spool, storage, backend
      """, [Failure.awayCode])
    while let row = try routes.next() {
      position.counts.ahead.add(row[3], at: SpoolRoute(spool: row[0], storage: row[1], backend: row[2]))
    }
  }

  /// Counts anew the jobs that can be begun or wait to be, given the pauses.
  mutating func recount(_ db: Database) throws {
    (position.counts.queued, position.counts.queuedLarge, position.counts.waiting) = ([:], [:], [:])
    var rows = try db.rows(
      """
      SELECT state, destination, spool, \(LedgerSchema.Condition.waitsForCleanup) AS waits, count(*), \
      \(LedgerSchema.Condition.isLargeUpload) AS large \
      FROM job WHERE \(LedgerSchema.Condition.unfinished) GROUP BY state, destination, spool, waits, large
      """)
    while let row = try rows.next() {
      let name: String = row[0]
      guard let state = JobState(rawValue: name), state != .active else { continue }
      position.counts.count(
        state, try Destination(stored: row[1]), spool: row[2], waitsForCleanup: row[3], isLarge: row[5], row[4])
    }
    position.counts.nextDue = try JobRow.nextDue(in: db)
  }
}

/// The success at a destination whose attempt began last. It distinguishes a key that is refused for one job alone from a key
/// that is refused for all. A restart forgets it: then such a job asks once another one has succeeded.
struct LastSuccess: Hashable, Sendable {
  /// The sequence of the last event when the success was recorded.
  var sequence: Int64
  var startedAt: Timestamp

  /// Returns the one of two that began later. A start in the future, from before the clock was set back, does not count.
  func orLater(_ other: LastSuccess?, now: Timestamp) -> LastSuccess {
    guard let other, other.startedAt > startedAt, other.startedAt <= now else { return self }
    return other
  }
}
