import Delivery
import Jobs
import Ledger
import Linux
import Reports

/// All who hear of the ledger: of each commit, in this order, and of trouble with it. They are called on the ledger's thread, so
/// none may block.
struct CommitReaders: LedgerObserver {
  let parts: DaemonParts

  func committed(_ commit: Commit) {
    parts.journal.log(commit.events)
    parts.current.now.lookAgain(after: commit.events)
    for occurrence in commit.occurrences { parts.journal.log(occurrence) }
    parts.tallies.read(commit)
    follow(commit.counts)
    parts.changeLog.update(commit.counts, changed: commit.changed)
    parts.status.touch()
    parts.notices.read(commit)
    parts.history.holdIfClockWasSet()
  }

  /// Tells those who only want to know where the jobs stand now.
  func follow(_ counts: LedgerCounts) {
    parts.room.update(counts)
    parts.due.set(parts.pipeline.nextTime(counts)?.microseconds)
    parts.keys.update(counts)
    parts.pipeline.update(counts)
  }

  func writingFailed(_ error: LedgerError?) {
    parts.room.close(error != nil)
    let occurrences = parts.trouble.report(error)
    parts.problems.update(ledger: error)
    for occurrence in occurrences { parts.ledger.record(occurrence) }
  }
}
