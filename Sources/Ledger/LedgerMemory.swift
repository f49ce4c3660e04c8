import GRDB
import Jobs

/// The memory of the writer between two commits.
struct LedgerMemory: Sendable {
  /// The position of the ledger: small, so that a batch can keep a copy to go back to.
  struct Position: Sendable {
    /// The last number given out.
    var lastNumber: Int64 = 0
    /// The last event's sequence.
    var lastSequence: Int64 = 0
    var counts = LedgerCounts()
    /// The gates whose rows must be written.
    var changedGates: Set<String> = []
    /// The last success of each destination.
    var successes: [String: LastSuccess] = [:]
  }

  /// The jobs in flight, so that their results need no reading; at most as many as there are slots.
  var active: [JobNumber: Job] = [:]
  /// The jobs that are begun next, by destination.
  var heads: [String: QueueHeads] = [:]
  var position = Position()

  /// Creates an empty memory, which stands in for one that a batch has taken.
  init() {}

  /// Reads the memory at the start; changes keep it up to date from then on.
  init(reading db: Database, _ clock: Clock) throws {
    position.lastNumber = try Self.last("job", db)
    position.lastSequence = try Self.last("event", db)
    position.counts.pauses = try PauseRow.read(db)
    position.counts.gates = try GateRow.read(db, clock)
    try Self.recount(db, &position.counts)
    position.counts.nextCleanups = try CleanupRow.nextTimes(db)
    position.counts.lastEvent = position.lastSequence
    position.successes = try LastSuccess.read(db, upTo: position.lastSequence)
  }

  /// Counts the jobs anew, given the pauses; the counts in flight stay.
  static func recount(_ db: Database, _ counts: inout LedgerCounts) throws {
    (counts.jobs, counts.queued, counts.queuedLarge, counts.waiting) = (JobTally(), [:], [:], [:])
    let rows = try Row.fetchCursor(
      db,
      sql: """
        SELECT state, destination, spool, \(LedgerSchema.Condition.waitsForCleanup) AS waits, count(*), step, \
        sum(size), \(LedgerSchema.Condition.isLargeUpload) AS large \
        FROM job GROUP BY state, destination, spool, waits, step, large
        """)
    while let row = try rows.next() {
      let name: String = row[0]
      let count: Int = row[4]
      let stepName: String = row[5]
      guard let state = State(rawValue: name) else {
        throw LedgerError(.configuration, "the ledger has the state \"\(name)\", which this program does not know")
      }
      guard let step = Step(rawValue: stepName) else {
        throw LedgerError(.configuration, "the ledger has the step \"\(stepName)\", which this program does not know")
      }
      counts.jobs.add(step, state, jobs: count, bytes: row[6])
      counts.count(state, row[1], spool: row[2], waitsForCleanup: row[3], isLarge: row[7], count)
    }
    counts.nextDue = try Int64.fetchOne(db, sql: "SELECT MIN(next_attempt_at) FROM job WHERE state = 'deferred'")
      .map(Timestamp.init(microseconds:))
  }

  private static func last(_ table: String, _ db: Database) throws -> Int64 {
    try Int64.fetchOne(db, sql: "SELECT seq FROM sqlite_sequence WHERE name = ?", arguments: [table]) ?? 0
  }
}
