package import Jobs
package import Ledger
import Messages
package import Reports
import Spool

/// Reports the problems of spools: to the journal at once, to the log of events with the next commit; lasting problems also to the
/// status until they end.
package struct SpoolTrouble: Sendable {
  let journal: EventLog
  let ledger: JobLedger
  let clock: Clock
  let problems: CurrentProblems

  package init(journal: EventLog, ledger: JobLedger, clock: Clock, problems: CurrentProblems) {
    self.journal = journal
    self.ledger = ledger
    self.clock = clock
    self.problems = problems
  }

  /// Reports a problem. A caller that meets the same problem again and again reports it once while it lasts.
  func report(_ problem: SpoolProblem) {
    let occurrence = Occurrence(
      problem.cause == .overflow ? .spoolOverflow : .spoolProblem, of: .spool(problem.spool), at: clock.now(),
      message: problem.said, reason: problem.message)
    journal.log(occurrence, cause: "\(problem.cause.rawValue) \(problem.errno ?? 0)")
    ledger.record(occurrence)
    guard problem.cause.lasts else { return }
    problems.set(
      key(problem.spool, problem.cause, problem.errno), .ofSpool(spool: problem.spool, why: problem.message),
      remedy: problem.advice)
  }

  func reportEnd(of cause: SpoolProblem.Cause, _ errno: Int32?, in spool: String) {
    problems.clear(key(spool, cause, errno))
  }

  private func key(_ spool: String, _ cause: SpoolProblem.Cause, _ errno: Int32?) -> CurrentProblems.Key {
    CurrentProblems.Key(area: .spool, subject: spool, cause: "\(cause.rawValue) \(errno ?? 0)")
  }
}
