import Jobs
import SQLite
import Synchronization

/// The jobs that have not ended and the cleanups that are owed, as their rows are: for simulations, which ask about all of them at
/// nearly each quiet moment. Rows that were not changed are not read again.
package final class StandstillTable: Sendable {
  struct Rows: Sendable, Equatable {
    /// The jobs as they were read, by number.
    var jobs: [JobNumber: Job] = [:]
    /// The cleanups by the numbers of their jobs, in the order of ``CleanupRow/all(in:)``.
    var cleanups: [JobNumber: [Cleanup]] = [:]
  }

  /// A row has changed, and the table did not learn of it.
  package struct Stale: Error {}

  /// Nil before the first reading.
  private let rows = Mutex<Rows?>(nil)

  /// A table of a ledger that is opened later.
  package init() {
    #if DEBUG || SIMULATION
      ChangedRows.begin()
    #endif
  }

  /// Reads what was changed since the last time.
  ///
  /// - Parameter isWhole: true to read all, and to compare it with what is known.
  func read(_ pool: DatabasePool, isWhole: Bool) throws -> Rows {
    let changed = Self.changed
    let before = rows.withLock { $0 }
    if !isWhole, let before, changed?.isEmpty == true { return before }
    // If that fails, all is read the next time.
    rows.withLock { $0 = nil }
    let (now, isStale) = try pool.readNow { db in
      guard var now = before, let changed else { return (try Rows(db), false) }
      try now.update(changed, from: db)
      guard isWhole else { return (now, false) }
      let whole = try Rows(db)
      return (whole, now != whole)
    }
    if isStale { throw Stale() }
    rows.withLock { $0 = now }
    return now
  }

  /// The rows that changed since the last call; nil if that is unknown.
  private static var changed: [JobNumber]? {
    #if DEBUG || SIMULATION
      ChangedRows.drain().map(JobNumber.init(rawValue:))
    #else
      nil
    #endif
  }
}

extension StandstillTable.Rows {
  fileprivate init(_ db: Database) throws {
    self.init()
    add(try db.all(JobRow.select, [], JobRow.job))
    try readCleanups(db)
  }

  fileprivate mutating func update(_ numbers: [JobNumber], from db: Database) throws {
    for number in numbers { jobs[number] = nil }
    add(try JobRow.jobs(numbers, in: db))
    try readCleanups(db)
  }

  private mutating func add(_ read: [Job]) {
    for job in read where !job.state.isTerminal { jobs[job.number] = job }
  }

  private mutating func readCleanups(_ db: Database) throws {
    cleanups = [:]
    for cleanup in try CleanupRow.all(in: db) { cleanups[cleanup.job, default: []].append(cleanup) }
  }
}
