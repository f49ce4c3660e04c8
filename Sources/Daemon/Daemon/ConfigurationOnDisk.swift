import ControlAPI
import Delivery
import Jobs
import Messages
import Reports
import Settings
import Synchronization

/// Compares the configuration's files on disk with the configuration in use: a person who edits a file has to know whether it counts.
///
/// A refused reload is a problem until a reload succeeds, or the files are again what is in use.
final class ConfigurationOnDisk: Sendable {
  /// The shortest time between two looks at the files.
  private static let pause = Duration.seconds(2)
  static let problem = CurrentProblems.Key(area: .configuration)

  private struct State {
    var used: ConfigurationSources?
    var refused: ConfigurationSources?
    var loadedAt: Timestamp
    var looked: Timestamp?
    var found: StatusMessage.Configuration.OnDisk = .same
    /// Grows with each reload: what was read before it says nothing about it.
    var reloads = 0
  }

  private let path: String
  private let clock: Clock
  private let problems: CurrentProblems
  private let state: Mutex<State>

  /// - Parameter used: the files of the configuration in use; nil if they could not be read.
  init(path: String, used: ConfigurationSources?, clock: Clock, problems: CurrentProblems) {
    (self.path, self.clock, self.problems) = (path, clock, problems)
    state = Mutex(State(used: used, loadedAt: clock.now()))
  }

  /// Records that a reload has put these files into effect.
  func use(_ sources: ConfigurationSources?) {
    state.withLock { state in
      state = State(used: sources, loadedAt: clock.now(), reloads: state.reloads + 1)
      problems.clear(Self.problem)
    }
  }

  /// Records that a reload has refused these files.
  ///
  /// - Parameter words: the errors, one a line.
  func refuse(_ sources: ConfigurationSources?, words: String) {
    let lines = words.split(separator: "\n")
    let first = DisplayText.escape(lines.first.map(String.init) ?? words)
    state.withLock { state in
      (state.refused, state.looked) = (sources, nil)
      state.reloads += 1
      problems.set(Self.problem, .configurationRefused(why: first, count: lines.count), remedy: .checkThenReload)
    }
  }

  /// Looks at the files, unless it has just done so, and ends the problem if they are what is in use.
  ///
  /// Files that were refused as they are stay refused, also if they are those in use: then something that they name has changed,
  /// such as a key file, and the next start would refuse them too.
  func look() {
    let now = clock.steady()
    let reloads: Int? = state.withLock { state in
      guard state.looked.map({ now - $0 >= Self.pause }) ?? true else { return nil }
      state.looked = now
      return state.reloads
    }
    guard let reloads else { return }
    let sources = ConfigurationSources.read(path: path)
    state.withLock { state in
      guard state.reloads == reloads else { return }
      guard let sources, let used = state.used else {
        state.found = .unknown
        return
      }
      state.found = sources == state.refused ? .refused : sources == used ? .same : .changed
      if state.found == .same { problems.clear(Self.problem) }
    }
  }

  /// The state of the files, for `status`.
  var message: StatusMessage.Configuration {
    look()
    return state.withLock { .init(loadedAt: $0.loadedAt, onDisk: $0.found) }
  }
}
