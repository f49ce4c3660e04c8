import Jobs
import Ledger
import Spool

/// Where problems of spools are told: in the journal at once, in the log of events with the next commit.
struct SpoolTrouble: Sendable {
  let journal: JournalReader
  let ledger: JobLedger
  let clock: Clock

  /// Takes note of a problem. Whoever meets one over and over tells it once while it lasts.
  func note(_ problem: SpoolProblem) {
    let occurrence = Occurrence(
      problem.cause == .overflow ? .spoolOverflow : .spoolProblem, of: .spool(problem.spool), at: clock.now(),
      message: problem.description, reason: problem.reason)
    journal.read(occurrence, cause: "\(problem.cause.rawValue) \(problem.errno ?? 0)")
    ledger.note(occurrence)
  }
}
