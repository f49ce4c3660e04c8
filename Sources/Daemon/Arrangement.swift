import Jobs
import Settings
import Synchronization

/// What a configuration amounts to. A reload replaces it as a whole; who works takes it once for each piece of work.
final class Arrangement: Sendable {
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

/// The arrangement that counts now.
final class CurrentArrangement: Sendable {
  private let arrangement: Mutex<Arrangement>

  init(_ arrangement: Arrangement) { self.arrangement = Mutex(arrangement) }

  /// What new work is done by.
  var now: Arrangement { arrangement.withLock { $0 } }

  /// Has new work done by another arrangement. What is under way ends by the one that it began with.
  func replace(with other: Arrangement) { arrangement.withLock { $0 = other } }
}
