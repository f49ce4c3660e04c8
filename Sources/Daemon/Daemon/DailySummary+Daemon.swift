import ControlAPI
import Jobs
import Ledger
import Reports

extension DailySummary.Standing {
  /// The number of jobs that are read at a time.
  private static let slice = 1000

  /// Reads what a summary tells of the jobs of a ledger.
  ///
  /// - Parameter notice: called with the reason if the jobs that wait for a person cannot be read. The summary then lacks why they do.
  init(
    of ledger: JobLedger, problems: CurrentProblems, clock: Clock, notice: @Sendable (String) -> Void
  ) async {
    let jobs = ledger.counts.jobs
    let phases = JobPhase.allCases.map { phase in (phase, phase.states.reduce(0) { $0 + jobs[$1] }) }
    var reasons: [ReasonGroup] = []
    do {
      reasons = try await Self.reasons(ledger, clock)
    } catch {
      notice("the summary lacks why jobs wait for a person: \(error)")
    }
    self.init(
      phases: Dictionary(uniqueKeysWithValues: phases), reasons: reasons, problems: problems.current.map(\.message))
  }

  /// Counts the jobs that wait for a person by their reasons.
  private static func reasons(_ ledger: JobLedger, _ clock: Clock) async throws -> [ReasonGroup] {
    var filter = JobFilter()
    filter.states = JobPhase.needsYou.states.union([.aborted])
    var count = ReasonCount(filter, clock: clock.now() - clock.steady())
    var after: JobNumber?
    repeat {
      let jobs = try await ledger.jobs(filter, after: after, limit: slice)
      for job in jobs { count.add(JobMessage(job, path: nil, heldBy: nil)) }
      after = jobs.count == slice ? jobs.last?.number : nil
    } while after != nil
    return count.largestFirst
  }
}
