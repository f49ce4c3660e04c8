import Jobs
import Linux
package import Seams
package import SeededNumbers

/// A life of the daemon and its world, from the first file to the end of all trouble.
package struct Scenario: Codable, Hashable, Sendable {
  /// The seed that it was made from, and that every choice during the run is made from.
  package var seed: UInt64
  /// The wall clock at virtual time zero, in seconds since the Unix epoch.
  package var epoch: Int64
  package var features: [Feature]
  package var configuration: ConfigurationPlan
  package var servers: Servers
  /// What is done when, sorted by time.
  package var timeline: [Moment]
  /// The end of each life of the daemon, in order. The life after the last one is not cut.
  package var crashes: [Crash]
  /// From then on all trouble is over, and the world only answers what is asked.
  package var troubleEnd: Duration
  /// What is to become of files that are not to be registered, once all trouble is over.
  package var wishes: [Wish] = []
  /// True if archives and the folder for releases are on another file system.
  package var isElsewhere = false
  /// The folder whose disk may be full, from the world's root.
  package var fullFolder = "state"

  package init(
    seed: UInt64, epoch: Int64 = 1_795_000_000, features: [Feature] = [], configuration: ConfigurationPlan,
    servers: Servers, timeline: [Moment] = [], crashes: [Crash] = [], troubleEnd: Duration = .seconds(600)
  ) {
    self.seed = seed
    self.epoch = epoch
    self.features = features
    self.configuration = configuration
    self.servers = servers
    self.timeline = timeline
    self.crashes = crashes
    self.troubleEnd = troubleEnd
  }

  package var numbers: SplitMix64 { SplitMix64(seed: seed ^ 0x5EED) }

  /// All configurations of its life, the first one first.
  package var configurations: [ConfigurationPlan] {
    [configuration] + timeline.compactMap { if case .configure(let plan) = $0.action { plan } else { nil } }
  }

  /// The most requests that the daemon may have in flight by any of them; nil where it finds that out itself.
  package var mostInFlight: Int? {
    let limits = configurations.map(\.daemon.concurrency)
    return limits.contains(nil) ? nil : limits.compactMap(\.self).max()
  }

  /// The longest time for which anything may wait by itself: a gate's longest pause, what a server asks for, or an hour for a medium that
  /// is away. The clock by which the daemon reads a date may be wrong.
  package var longestWait: Duration {
    let waits = servers.all.flatMap(\.trouble.spells).map { spell -> Duration in
      guard case .answers(_, _, let wait, _) = spell.condition else { return .zero }
      return switch wait {
      case .absent: .zero
      case .seconds(let seconds): .seconds(seconds)
      case .date: .seconds(3600)
      }
    }
    let hasCards = timeline.contains { if case .insertCard = $0.action { true } else { false } }
    return max(Gate.longestPause, waits.max() ?? .zero, hasCards ? .seconds(3600) : .zero)
  }

  /// The most faults of destinations that a person may have to be asked about: each change of the world may be one at each server.
  package var causes: Int {
    let changes = timeline.count { moment in
      switch moment.action {
      case .moveWallClock, .configure, .changeKeyAtServer, .changeKeyFile, .loseLedger, .restart: true
      default: false
      }
    }
    return (changes + repairs.count + crashes.count) * servers.all.count + servers.all.flatMap(\.trouble.spells).count
  }

  package var drops: [Drop] { timeline.compactMap { if case .drop(let drop) = $0.action { drop } else { nil } } }
}

package struct Crash: Codable, Hashable, Sendable {
  package enum Moment: Codable, Hashable, Sendable {
    /// A pass of a failpoint in that life, from 1. A life that does not pass it so often is not cut there.
    case failpoint(String, pass: Int)
    case after(Duration)
  }

  package var moment: Moment
  /// The time until the daemon is started again.
  package var pause: Duration

  package init(_ moment: Moment, pause: Duration = .seconds(1)) {
    self.moment = moment
    self.pause = pause
  }

  package static func at(_ failpoint: Failpoint, pass: Int = 1) -> Crash {
    Crash(.failpoint(failpoint.rawValue, pass: pass))
  }
}
