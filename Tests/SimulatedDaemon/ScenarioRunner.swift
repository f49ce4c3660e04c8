import CFork
import FoundationEssentials
import Glibc
package import Simulation

/// Runs scenarios, one life of the daemon after the other, each in a process of its own.
package struct ScenarioRunner {
  /// What came of a scenario.
  package struct Outcome: Sendable {
    /// What must not be, and was. Empty if all was well.
    package var violations: [String]
    /// What happened, in words, the last of it.
    package var history: [String]
    /// The number of lives of the daemon.
    package var lives: Int
    /// The number of requests.
    package var requests: Int
    /// The virtual time, in seconds.
    package var seconds: Int64
  }

  /// More lives than crashes and restarts could bring are a daemon that cannot start.
  private static let mostLives = 60
  /// The real time in seconds after which a life hangs.
  private static let patience: UInt32 = 120

  private let folder: String

  /// Worlds are made in this folder, best on a tmpfs.
  package init(folder: String) { self.folder = folder }

  private var root: String { "\(folder)/world" }
  private var handover: String { "\(folder)/handover" }

  /// Runs a scenario in this process, whatever comes of it. Types, formats and tables that it has needed are there in each life that
  /// follows: without anything optimized, making them takes as long as all else that a short life does.
  package func warmUp(_ scenario: Scenario) throws {
    let state = WorldState(scenario, root: root)
    defer { _ = try? FileManager.default.removeItem(atPath: folder) }
    try makeWorld(of: state)
    Life(state, root: root, handover: handover).run(isTrial: true)
  }

  private func makeWorld(of state: WorldState) throws {
    _ = try? FileManager.default.removeItem(atPath: folder)
    try FileManager.default.createDirectory(atPath: root, withIntermediateDirectories: true)
    try state.writer.makeWorld(of: state.scenario)
    WorldFiles.write(state.configuration.text(root: root), to: "\(root)/waybill.toml")
  }

  /// Runs a scenario to its end. The process must have but one thread.
  package func run(_ scenario: Scenario) -> Outcome {
    var state = WorldState(scenario, root: root)
    defer { _ = try? FileManager.default.removeItem(atPath: folder) }
    do {
      try makeWorld(of: state)
    } catch {
      return outcome(state, "the world cannot be made: \(error)")
    }
    while true {
      let child = cfork_fork()
      guard child >= 0 else { return outcome(state, "no process: errno \(errno)") }
      if child == 0 {
        alarm(Self.patience)
        Life(state, root: root, handover: handover).run()
        _exit(1)  // a life ends the process itself
      }
      let status = cfork_wait(child)
      do {
        switch Life.End(rawValue: status) {
        case .over, .violated: return outcome(try WorldFiles.state(from: handover), nil)
        case .again:
          state = try WorldFiles.state(from: handover)
          state.life += 1
          if state.life > Self.mostLives { return outcome(state, "the daemon does not stay: \(state.life) lives") }
        case nil:
          return outcome(state, status == 1000 + SIGALRM ? "a life hangs" : "a life ended with status \(status)")
        }
      } catch {
        return outcome(state, "the world cannot be read: \(error)")
      }
    }
  }

  private func outcome(_ state: WorldState, _ words: String?) -> Outcome {
    Outcome(
      violations: state.violations + [words].compactMap(\.self), history: state.history, lives: state.life + 1,
      requests: state.network.sent, seconds: state.elapsed / 1_000_000)
  }
}
