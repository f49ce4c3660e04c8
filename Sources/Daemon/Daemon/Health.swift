import Jobs
import Messages
import Reports
import Synchronization

/// The daemon's health, for the probes of a container's manager: if it makes progress, and if it can do its work.
final class Health: Sendable {
  private enum Phase { case starting, ready, stopping }

  private struct Contents {
    var phase = Phase.starting
    var progressAt: Timestamp
  }

  private let state: Mutex<Contents>
  private let clock: Clock
  private let problems: CurrentProblems
  private let patience: Duration

  /// - Parameter patience: the longest time that the parts of the daemon may take to make progress.
  init(clock: Clock, problems: CurrentProblems, patience: Duration) {
    self.clock = clock
    self.problems = problems
    self.patience = patience
    state = Mutex(Contents(progressAt: clock.steady()))
  }

  /// Records that all parts have made progress: the same condition as for systemd's watchdog.
  func noteProgress() { state.withLock { $0.progressAt = clock.steady() } }

  /// Records that the ledger is open, the spools are held, and the control socket answers.
  func isReady() { state.withLock { $0 = Contents(phase: .ready, progressAt: clock.steady()) } }

  var hasStarted: Bool { state.withLock { $0.phase != .starting } }

  func isStopping() { state.withLock { $0.phase = .stopping } }

  /// The reasons to restart the daemon; empty while it makes progress, and while it starts: a start takes longer the more files
  /// there are to look at.
  var faults: [String] {
    let (phase, progressAt) = state.withLock { ($0.phase, $0.progressAt) }
    let without = clock.steady() - progressAt
    return phase == .starting || without <= patience ? [] : ["no progress for \(without.wholeSeconds) s"]
  }

  /// The reasons why the daemon cannot do its work now; empty while it can.
  var obstacles: [String] {
    switch state.withLock(\.phase) {
    case .starting: return ["starting"]
    case .stopping: return ["stopping"]
    case .ready: break
    }
    return problems.current.compactMap { key, _, _ in
      switch key.area {
      case .ledger: "the ledger cannot be written"
      case .spool: "spool \(key.subject) cannot be served: see waybill status"
      case .configuration, .space, .credentials, .journal, .notices: nil
      }
    }
  }
}
