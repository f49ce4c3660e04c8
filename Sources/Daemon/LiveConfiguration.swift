import Jobs
import Settings
import Synchronization

/// What a configuration amounts to. A reload replaces it as a whole; who works takes it once for each piece of work.
final class LiveConfiguration: Sendable {
  let configuration: Configuration
  let stages: Stages
  let admissions: Admissions
  /// The slots for steps in flight, and how they are shared.
  let lanes: Lanes

  init(_ configuration: Configuration, stages: Stages, admissions: Admissions) {
    self.configuration = configuration
    self.stages = stages
    self.admissions = admissions
    lanes = Lanes(concurrency: configuration.daemon.concurrency, destinations: stages.destinations)
  }
}

/// The configuration in effect.
final class CurrentConfiguration: Sendable {
  private let live: Mutex<LiveConfiguration>

  init(_ live: LiveConfiguration) { self.live = Mutex(live) }

  /// What new work is done by.
  var now: LiveConfiguration { live.withLock { $0 } }

  /// Has new work done by another configuration. What is under way ends by the one that it began with.
  func replace(with other: LiveConfiguration) { live.withLock { $0 = other } }
}
