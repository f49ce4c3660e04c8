import Jobs
package import Messages
import ObjectStorage
import Registration

/// A look is a small request to a destination in trouble. It comes before the job that would be the probe, so that a destination
/// that is still in trouble costs no job an attempt.
extension Stages {
  /// Looks at the destination of a job that is the probe of its gate.
  ///
  /// - Returns: the result of the attempt if the look ends it; nil if the job is sent.
  func look(before job: Job) async -> AttemptResult? {
    do throws(CancellationError) {
      let failure: Failure?
      let policy: RetryPolicy
      switch job.step {
      case .upload:
        guard let storage = storages[job.ticket.storage] else { return nil }
        failure = try await storage.stage.look(bucket: job.ticket.bucket, key: job.ticket.key)
        policy = storage.retry
      case .register:
        guard let backend = backends[job.ticket.backend] else { return nil }
        failure = try await backend.stage.look()
        policy = backend.retry
      }
      return failure.flatMap { AttemptResult(look: $0, verdict($0, job, policy, settle: .zero)) }
    } catch {
      return .cut
    }
  }

  /// Returns the message about the look that comes before a job at a destination in trouble; nil if a job is sent without a look.
  package func wayOfLook(at destination: String) -> Message? {
    guard let dot = destination.firstIndex(of: ".") else { return nil }
    let name = String(destination[destination.index(after: dot)...])
    if destination.hasPrefix("storage.") {
      return storages[name].map { _ in .headFirst }
    }
    return backends[name]?.stage.options.health.map { .getFirst(url: $0) }
  }
}
