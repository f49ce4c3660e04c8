package import Jobs
package import Messages
import ObjectStorage
import Registration
import Settings

/// A look is a small request to a destination in trouble. It comes before the job that would be the probe, so that a destination
/// that is still in trouble costs no job an attempt.
extension Stages {
  /// Looks at the destination of a gate before the job that is its probe is sent: at the bucket if the gate asks about it.
  /// - Returns: the result of the attempt if the look ends it; nil if the job is sent.
  func look(before job: Job, at gate: Gate, of destination: Destination) async -> AttemptResult? {
    let reason = gate.closure?.reason
    do throws(CancellationError) {
      let failure: Failure?
      let policy: RetryPolicy
      switch destination.kind {
      case .storage:
        guard let storage = storages[job.ticket.storage] else { return nil }
        let key = reason == .question ? nil : job.ticket.objectKey
        failure = try await storage.stage.look(bucket: job.ticket.bucket, key: key)
        policy = storage.retry
      case .backend:
        guard let backend = backends[destination.name] else { return nil }
        failure = try await backend.stage.look(forConnection: reason == .network)
        policy = backend.retry
      }
      return failure.flatMap {
        AttemptResult(look: $0, verdict($0, job, policy, settle: .zero), at: gate, steady: clock.steady())
      }
    } catch {
      return .cut
    }
  }

  /// Returns the message about the look before a probe; nil if the job itself is the look.
  package func wayOfLook(at destination: Destination) -> Message? {
    switch destination.kind {
    case .storage: configuration.storages[destination.name].map { _ in .headFirst }
    case .backend: backends[destination.name]?.stage.settings.health.map { .getFirst(url: $0) }
    }
  }
}
