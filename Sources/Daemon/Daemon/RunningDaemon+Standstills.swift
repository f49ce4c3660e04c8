import Delivery
package import Jobs
package import Ledger

/// The standstills of all unfinished work of a daemon, for simulations; read at a moment at which nothing else happens.
package struct Standstills: Sendable {
  /// The unfinished jobs.
  package let jobs: [(job: Job, standstill: Standstill)]
  /// The cleanups that are still to be done.
  package let cleanups: [(cleanup: Cleanup, standstill: Standstill)]
  /// The destinations whose gate waits for a probe or an answer that does not come.
  package let unserved: [Destination]
  /// The gates that are not pristine.
  package let gates: [Destination: Gate]
  /// The number of requests that may be in flight.
  package let places: Int
  /// True while nothing may begin: the daemon stops, or a commit waits for space on the disk.
  package let beginsNothing: Bool
  /// True while a reload asks about the jobs whose destination is gone.
  package let isReloading: Bool
  /// The time on the steady clock.
  package let steady: Timestamp
  /// Returns true if an attempt or a cleanup of a job is under way.
  package let isAtWork: @Sendable (JobNumber) -> Bool
}

extension RunningDaemon {
  /// The reasons to restart the daemon; empty while it makes progress.
  package var faults: [String] { health.faults }

  /// Returns the standstills of all unfinished work now; nil while the daemon starts, or while the ledger's writer has a change
  /// to commit.
  ///
  /// - Parameter isWhole: true to read all rows, even those that did not change since the last call.
  package func standstills(among table: StandstillTable, isWhole: Bool) throws -> Standstills? {
    guard health.hasStarted, ledger.isWriterIdle else { return nil }
    let state = pipeline.state
    let found = try ledger.standstills(in: state, among: table, isWhole: isWhole)
    return Standstills(
      jobs: found.jobs.map { ($0, $1) }, cleanups: found.cleanups.map { ($0, $1) }, unserved: found.unserved,
      gates: ledger.counts.gates, places: state.lanes.all.slots,
      beginsNothing: state.isStopping || ledger.isStalled, isReloading: pipeline.leavesStrays,
      steady: parts.clock.steady(),
      isAtWork: { [pipeline] in pipeline.isAtWork(on: $0) })
  }
}
