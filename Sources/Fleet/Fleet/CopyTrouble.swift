import ControlAPI
import Synchronization

/// The daemon's refusal to say what changed, for as long as it lasts. The task that copies the changes meets it; the heartbeat tells of it,
/// because the daemon's state may be readable meanwhile.
final class CopyTrouble: Sendable {
  /// The number of tries in a row, a second apart, that fail before it is told: a daemon that restarts is normal.
  static let patience = 5

  private struct Contents {
    var failures = 0
    /// Those of them that failed for the same reason as the last one.
    var alike = 0
    var last: ControlError?
    var told: String?
  }

  private let state = Mutex(Contents())

  /// The error of the last try, if it is to be told.
  var lasting: ControlError? { state.withLock { $0.told == nil ? nil : $0.last } }

  /// Counts a try that failed; returns true if that is to be reported: it has begun to last, or lasts for another reason.
  func failed(_ error: ControlError) -> Bool {
    state.withLock { state in
      state.failures += 1
      state.alike = state.last?.reason == error.reason ? state.alike + 1 : 1
      state.last = error
      let isToTell =
        state.told == nil
        ? state.failures >= Self.patience : state.told != error.reason && state.alike >= Self.patience
      if isToTell { state.told = error.reason }
      return isToTell
    }
  }

  /// Ends it after a try that did not fail; returns true if it was reported.
  func ended() -> Bool { state.withLock { exchange(&$0, with: Contents()).told != nil } }
}

extension ControlError {
  /// The error without what differs from one try to the next.
  fileprivate var reason: String {
    switch self {
    case .noDaemon: "no daemon"
    case .notPermitted: "not permitted"
    case .problem(let problem): "problem \(problem.status)"
    case .unreadable: "unreadable"
    case .cancelled: "cancelled"
    }
  }
}
