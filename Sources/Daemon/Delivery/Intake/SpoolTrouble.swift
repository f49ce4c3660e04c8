package import Jobs
package import Ledger
import Messages
import ObjectStorage
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

  /// Reports a document that is sent although its sidecar is missing or cannot be used.
  package func report(_ doubt: SidecarDoubt, _ options: SpoolOptions) {
    report(
      SpoolProblem(
        options, .sidecar, .sentWithoutDescription(document: doubt.document.shown, why: doubt.message),
        remedy: doubt.remedy))
  }

  /// Reports metadata that only the backend gets, because the object has no room for it.
  package func reportUnfit(_ document: FileName, _ names: [String], _ options: SpoolOptions) {
    let shown = names.prefix(8).map { DisplayText.escape($0) }.joined(separator: ", ")
    report(
      SpoolProblem(
        options, .attributes,
        .metadataBeyondRoom(
          document: document.shown, limit: MetadataRoom.limit, names: shown + (names.count > 8 ? ", …" : "")),
        remedy: .shortenMetadata))
  }

  /// Records that a problem is over.
  func reportEnd(of cause: SpoolProblem.Cause, _ errno: Int32?, in spool: String) {
    problems.clear(key(spool, cause, errno))
  }

  private func key(_ spool: String, _ cause: SpoolProblem.Cause, _ errno: Int32?) -> CurrentProblems.Key {
    CurrentProblems.Key(area: .spool, subject: spool, cause: "\(cause.rawValue) \(errno ?? 0)")
  }
}
