import Credentials
import Jobs
import Settings

/// The conditions under which an attempt began. If they have changed by its end, a failure says nothing about the present ones.
struct AttemptConditions {
  /// The destinations that the attempt asks.
  let destinations: [Destination]
  let stages: Stages
  /// The number of different values that the destinations' keys had so far, all together; nil if one could not be read yet.
  let keys: Int?
  /// The number of changes of the machine's network so far.
  let network: Int

  init(at destination: Destination, _ stages: Stages, network: Int) {
    destinations = stages.destinations(asked: destination)
    self.stages = stages
    self.network = network
    keys = destinations.lazy.flatMap(stages.credentials).reduce(0) { sum, credential in
      sum.flatMap { sum in credential.reader.generation.map { sum + $0 } }
    }
  }

  func hasSettings(of now: AttemptConditions) -> Bool {
    if stages === now.stages { return true }
    let (old, new) = (stages.configuration, now.stages.configuration)
    return destinations.allSatisfy { destination in
      let name = destination.name
      return switch destination.kind {
      case .storage: old.storages[name] == new.storages[name] && old.granted[name] == new.granted[name]
      case .backend: old.backends[name] == new.backends[name]
      }
    }
  }

  /// A condition that may have caused a failure and has changed since.
  enum Change {
    case settings, keys, network
  }

  /// Returns the change because of which a failure (nil for a look that failed) says nothing about the present destination; nil if none.
  func change(to now: AttemptConditions, after failure: Failure?) -> Change? {
    guard hasSettings(of: now) else { return .settings }
    return switch failure?.kind {
    case .credentials: keys != nil && keys != now.keys ? .keys : nil
    case .network: network != now.network ? .network : nil
    case nil, .unavailable, .throttled, .transient, .destination, .conflict, .rejected, .file, .fileChanged,
      .configuration:
      nil
    }
  }
}

extension AttemptResult {
  /// The result of an attempt at a destination whose settings have changed: a failure with the earlier ones causes no question.
  func afterChange(
    from began: AttemptConditions, to now: @autoclosure () -> AttemptConditions
  ) -> AttemptResult {
    guard case .failed(let failure, .ask) = self, failure.kind == .destination, !began.hasSettings(of: now()) else {
      return self
    }
    return .cut
  }

  func change(
    from began: AttemptConditions, to now: @autoclosure () -> AttemptConditions
  ) -> AttemptConditions.Change? {
    switch self {
    case .failed(let failure, _), .changed(let failure, _, _): began.change(to: now(), after: failure)
    case .unanswered: began.change(to: now(), after: nil)
    case .uploaded, .registered, .recognized, .cut: nil
    }
  }
}

extension CleanupResult {
  func change(from began: AttemptConditions, to now: AttemptConditions) -> AttemptConditions.Change? {
    if case .failed(let failure, _) = self { began.change(to: now, after: failure) } else { nil }
  }
}
