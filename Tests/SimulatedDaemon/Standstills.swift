import Daemon
import Delivery
import Jobs
import Ledger
import Synchronization

/// The standstills of all unfinished work of a daemon, at a moment at which nothing else happens.
struct Standstills {
  var jobs: [(job: Job, standstill: Standstill)] = []
  var cleanups: [(cleanup: Cleanup, standstill: Standstill)] = []
  /// The destinations whose gate waits for a probe or an answer that does not come.
  let unserved: [Destination]
  /// The gates that are not pristine.
  let gates: [Destination: Gate]
  let places: Int
  /// True while nothing may begin: the daemon stops, or a commit waits for space on the disk.
  let beginsNothing: Bool
  /// True while a reload asks about the jobs whose destination is gone.
  let isReloading: Bool
  let steady: Timestamp
  /// Returns true if an attempt or a cleanup of a job is under way.
  let isAtWork: (JobNumber) -> Bool
}

/// The jobs that have not ended and the cleanups that are owed, as their rows are. Rows of jobs that did not change are not read again.
final class StandstillTable: Sendable {
  private struct Rows: Equatable {
    /// The jobs as they were read, by number.
    var jobs: [JobNumber: Job] = [:]
    /// The cleanups by the numbers of their jobs, in the order of the ledger.
    var cleanups: [JobNumber: [Cleanup]] = [:]

    mutating func update(_ numbers: [JobNumber]?, from ledger: JobLedger) throws {
      let (read, owed) = try ledger.work(of: numbers)
      if let numbers { for number in numbers { jobs[number] = nil } } else { jobs = [:] }
      for job in read where !job.state.isTerminal { jobs[job.number] = job }
      cleanups = Dictionary(grouping: owed, by: \.job)
    }
  }

  /// A job has changed, and the daemon's list of changed jobs does not have it.
  struct Stale: Error {}

  /// The rows, and the position up to which they are read; none before the first reading.
  private let known = Mutex<(rows: Rows, seen: String)?>(nil)

  /// Looks at all unfinished work; nil while the daemon starts, or while a change waits to be committed.
  func look(at daemon: RunningDaemon, isWhole: Bool) throws -> Standstills? {
    guard daemon.isQuiet else { return nil }
    let rows = try read(daemon, isWhole: isWhole)
    let (state, ledger) = (daemon.pipeline.state, daemon.ledger)
    let facts = ledger.facts(in: state)
    func job(_ number: JobNumber) -> Job? { rows.jobs[number] }
    func cleanup(_ number: JobNumber) -> Cleanup? { rows.cleanups[number]?.first }
    let unserved = try facts.counts.gates.filter { try !facts.isServed($0.value, job, cleanup) }.keys
    var found = Standstills(
      unserved: unserved.sorted(), gates: facts.counts.gates, places: state.lanes.all.slots,
      beginsNothing: state.isStopping || ledger.isStalled, isReloading: daemon.pipeline.leavesStrays,
      steady: facts.steady, isAtWork: { daemon.pipeline.isAtWork(on: $0) })
    for job in rows.jobs.values.sorted(by: { $0.number < $1.number }) {
      let standstill = try facts.standstill(of: job, { rows.jobs[$0] }, cleanup)
      if let standstill { found.jobs.append((job, standstill)) }
    }
    for owed in rows.cleanups.sorted(by: { $0.key < $1.key }).flatMap(\.value) {
      found.cleanups.append((owed, Standstill(of: owed, try facts.facts(at: owed.destination, job, cleanup))))
    }
    return found
  }

  private func read(_ daemon: RunningDaemon, isWhole: Bool) throws -> Rows {
    let before = known.withLock { $0 }
    // If a reading fails, all is read the next time.
    known.withLock { $0 = nil }
    let (changed, seen) = daemon.changedJobs(since: before?.seen)
    var rows = before?.rows ?? Rows()
    try rows.update(before == nil ? nil : changed, from: daemon.ledger)
    if isWhole {
      let updated = rows
      try rows.update(nil, from: daemon.ledger)
      if rows != updated { throw Stale() }
    }
    known.withLock { [rows] in $0 = (rows, seen) }
    return rows
  }
}
