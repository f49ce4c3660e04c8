import Delivery
import HTTPTransfer
import Jobs
import Ledger
import Linux
import Reports
import SystemdLink

struct DaemonParts: Sendable {
  let clock: Clock
  let machine: Machine
  let journal: EventLog
  let notifier: ServiceNotifier
  let ledger: JobLedger
  let pipeline: Pipeline
  let builder: ConfigurationBuilder
  let current: CurrentConfiguration
  let orphans: OrphanedFiles
  let disposals: Disposals
  let recovery: Recovery
  let intake: Intake
  let room: IntakeRoom
  let history: History
  let activity: Activity
  let transport: Transport
  let problems: CurrentProblems
  let trouble: LedgerTrouble
  let keys: KeyWatch
  /// Rings when something comes to pass by itself.
  let due: Alarm
  let status: StatusLine
  let notices: Notices
  let tallies: CommitTallies
  let changeLog: ChangeLog
}
