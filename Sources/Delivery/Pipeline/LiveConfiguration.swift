import Jobs
package import Settings
import Synchronization

/// The parts that a configuration makes. A reload replaces it as a whole; each piece of work uses the one that was
/// current when it began.
package final class LiveConfiguration: Sendable {
  package let configuration: Configuration
  package let stages: Stages
  package let admissions: Admissions
  /// The slots for steps in flight, and how they are shared.
  let lanes: Lanes

  package init(_ configuration: Configuration, stages: Stages, admissions: Admissions) {
    self.configuration = configuration
    self.stages = stages
    self.admissions = admissions
    lanes = Lanes(concurrency: configuration.daemon.concurrency, destinations: stages.destinations)
  }
}

/// The configuration in effect.
package final class CurrentConfiguration: Sendable {
  private let live: Mutex<LiveConfiguration>

  package init(_ live: LiveConfiguration) { self.live = Mutex(live) }

  /// The configuration for new work.
  package var now: LiveConfiguration { live.withLock { $0 } }

  /// Has new work done by another configuration. What is under way ends by the one that it began with.
  package func replace(with other: LiveConfiguration) { live.withLock { $0 = other } }
}
