import GRDB
import Jobs

/// What the writer keeps in memory between two commits.
struct LedgerMemory: Sendable {
  /// Where the ledger stands: small, so that a batch can keep a copy to go back to.
  struct Position: Sendable {
    /// The last number given out.
    var lastNumber: Int64 = 0
    /// The last event's sequence.
    var lastSequence: Int64 = 0
    var counts = LedgerCounts()
  }

  /// The jobs in flight, so that their results need no reading; at most as many as there are slots.
  var active: [JobNumber: Job] = [:]
  /// The jobs that are begun next, by destination.
  var heads: [String: QueueHead] = [:]
  var position = Position()

  /// Knows nothing yet; stands in for what a batch has taken.
  init() {}

  /// Reads once, at start, what is kept up from then on.
  init(reading db: Database) throws {
    position.lastNumber = try Self.last("job", db)
    position.lastSequence = try Self.last("event", db)
    position.counts = try Self.counts(db)
    position.counts.lastEvent = position.lastSequence
  }

  private static func counts(_ db: Database) throws -> LedgerCounts {
    var counts = LedgerCounts()
    let rows = try Row.fetchCursor(
      db, sql: "SELECT state, destination, count(*) FROM job GROUP BY state, destination")
    while let row = try rows.next() {
      let name: String = row[0]
      let destination: String = row[1]
      let count: Int = row[2]
      guard let state = State(rawValue: name) else {
        throw LedgerError(.configuration, "the ledger has the state \"\(name)\", which this program does not know")
      }
      counts.states[state, default: 0] += count
      switch state {
      case .queued: counts.queued[destination] = count
      case .awaitingCredentials, .awaitingNetwork: counts.waiting[destination, default: 0] += count
      case .active, .deferred, .awaitingConfirmation, .registered, .aborted, .cancelled, .discarded: break
      }
    }
    counts.nextDue = try Int64.fetchOne(db, sql: "SELECT MIN(next_attempt_at) FROM job WHERE state = 'deferred'")
      .map(Timestamp.init(microseconds:))
    return counts
  }

  private static func last(_ table: String, _ db: Database) throws -> Int64 {
    try Int64.fetchOne(db, sql: "SELECT seq FROM sqlite_sequence WHERE name = ?", arguments: [table]) ?? 0
  }
}
