import ControlAPI
import Delivery
import Jobs
import Ledger
import Reports

extension CommandService {
  /// Why a job does not move now, and what ends it; nil for one that has ended. That nothing ends it is told in the journal too.
  func standstill(of job: Job) async throws -> StandstillMessage? {
    guard !job.state.isTerminal,
      let (job, standstill) = try await ledger.standstill(of: job.number, in: pipeline.place)
    else { return nil }
    let message = StandstillMessage(
      standstill, of: job, hold: standstill.hold.map { self.message($0) }, clockOffset: clock.now() - clock.steady())
    if standstill.end == .nothing {
      journal.error("job \(job.number) is \(job.state.rawValue) at \(job.destination): \(message.message)")
    }
    return message
  }
}
