import Delivery
import Jobs
import Ledger
import Linux
import Reports

/// All who hear of the ledger: of each commit, in this order, and of trouble with it. They are called on the ledger's thread, so
/// none may block.
struct CommitReaders: LedgerObserver {
  let ledger: JobLedger
  let journal: EventLog
  let tallies: CommitTallies
  let room: IntakeRoom
  /// Rings when something comes to pass by itself.
  let due: Alarm
  let keys: KeyWatch
  let pipeline: Pipeline
  let current: CurrentConfiguration
  let status: StatusLine
  let changeLog: ChangeLog
  let notices: Notices
  let trouble: LedgerTrouble
  let problems: CurrentProblems
  let silence: SilenceWatch
  let history: History

  func committed(_ commit: Commit) {
    journal.log(commit.events)
    current.now.stages.letGo(after: commit.events)
    current.now.stages.lookAgain(after: commit.events)
    for occurrence in commit.occurrences { journal.log(occurrence) }
    tallies.read(commit)
    follow(commit.counts)
    changeLog.update(commit.counts, changed: commit.changed)
    status.touch()
    notices.read(commit)
    silence.read(commit)
    history.readClocks()
  }

  /// Tells those who only want to know where the jobs stand now.
  func follow(_ counts: LedgerCounts) {
    room.update(counts)
    due.set(pipeline.nextTime(counts)?.microseconds)
    keys.update(counts)
    pipeline.update(counts)
  }

  func writingFailed(_ error: LedgerError?) {
    room.close(error != nil)
    let occurrences = trouble.report(error)
    problems.update(ledger: error)
    for occurrence in occurrences { ledger.record(occurrence) }
  }
}
