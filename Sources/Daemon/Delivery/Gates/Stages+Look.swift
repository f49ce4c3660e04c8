import Jobs
package import Messages
import ObjectStorage
import Registration

/// A look at a destination in trouble comes before the job that would try it, and costs none.
extension Stages {
  /// Looks at the destination of a job that is the probe of its gate.
  ///
  /// - Returns: the result of the attempt if it ends with that; nil if the job goes.
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

  /// Returns the message about the look that comes before a job at a destination in trouble; nil where a job is sent to see.
  package func wayOfLook(at destination: String) -> Message? {
    guard let dot = destination.firstIndex(of: ".") else { return nil }
    let name = String(destination[destination.index(after: dot)...])
    if destination.hasPrefix("storage.") {
      return storages[name].map { _ in .headFirst }
    }
    return backends[name]?.stage.options.health.map { .getFirst(url: $0) }
  }
}
