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
    state.withLock { $0 = State(used: sources, loadedAt: clock.now()) }
    problems.clear(Self.problem)
  }

  /// Records that a reload has refused these files.
  ///
  /// - Parameter words: the errors, one a line.
  func refuse(_ sources: ConfigurationSources?, words: String) {
    state.withLock { ($0.refused, $0.looked) = (sources, nil) }
    let lines = words.split(separator: "\n")
    let others = lines.count - 1
    let more = others > 0 ? " (and \(others) more \(others == 1 ? "error" : "errors"))" : ""
    let first = DisplayText.escape(lines.first.map(String.init) ?? words)
    problems.set(Self.problem, .configurationRefused(why: .text(first + more)), remedy: .checkThenReload)
  }

  /// Looks at the files, unless it has just done so, and ends the problem if they are what is in use.
  func look() {
    let now = clock.steady()
    let isDue = state.withLock { state in
      guard state.looked.map({ now - $0 >= Self.pause }) ?? true else { return false }
      state.looked = now
      return true
    }
    guard isDue else { return }
    let sources = ConfigurationSources.read(path: path)
    let isUsed = state.withLock { state in
      guard let sources, let used = state.used else {
        state.found = .unknown
        return false
      }
      state.found = sources == used ? .same : sources == state.refused ? .refused : .changed
      return sources == used
    }
    if isUsed { problems.clear(Self.problem) }
  }

  /// The state of the files, for `status`.
  var message: StatusMessage.Configuration {
    look()
    return state.withLock { .init(loadedAt: MessageTime($0.loadedAt), onDisk: $0.found) }
  }
}
