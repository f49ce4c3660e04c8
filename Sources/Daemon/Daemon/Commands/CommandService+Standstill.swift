import ControlAPI
import Delivery
import Jobs
import Ledger
import Reports

extension CommandService {
  /// Returns the reason why a job does not move now, and what ends it; nil for a job that has ended. If nothing ends it, that is
  /// an error in the journal.
  func standstill(of job: Job) async throws -> StandstillMessage? {
    guard !job.state.isTerminal,
      let (job, standstill) = try await ledger.standstill(of: job.number, in: pipeline.place)
    else { return nil }
    let message = StandstillMessage(
      standstill, of: job, hold: standstill.hold.map { self.message($0) }, clockOffset: clockOffset)
    if standstill.end == .nothing {
      journal.error("job \(job.number) is \(job.state.rawValue) at \(job.destination): \(message.message)")
    }
    return message
  }
}
