import Jobs
package import Settings
import Synchronization

/// What a configuration amounts to. A reload replaces it as a whole; who works takes it once for each piece of work.
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

  /// What new work is done by.
  package var now: LiveConfiguration { live.withLock { $0 } }

  /// Has new work done by another configuration. What is under way ends by the one that it began with.
  package func replace(with other: LiveConfiguration) { live.withLock { $0 = other } }
}
