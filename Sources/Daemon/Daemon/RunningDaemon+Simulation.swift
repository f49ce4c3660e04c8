package import Jobs
import Ledger

/// The views for simulations, which look at a daemon while nothing else happens.
extension RunningDaemon {
  /// The reasons to restart the daemon; empty while it makes progress.
  package var faults: [String] { health.faults }

  /// True once it has started, while the ledger's writer has no change to commit.
  package var isQuiet: Bool { health.hasStarted && ledger.isWriterIdle }

  /// Returns the jobs that changed since a position, nil for an unknown one, and the present position.
  package func changedJobs(since seen: String?) -> (jobs: [JobNumber]?, seen: String) {
    parts.changeLog.begin()
    let page = parts.changeLog.page(since: seen, limit: ChangeLog.limit)
    return (page.jobs, page.seen)
  }
}
