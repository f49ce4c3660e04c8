import ControlAPI
import Synchronization

/// The daemon's refusal to say what changed, for as long as it lasts. The task that copies the changes meets it; the heartbeat tells of it,
/// because the daemon's state may be readable meanwhile.
final class CopyTrouble: Sendable {
  /// The number of tries in a row, a second apart, that fail before it is told: a daemon that restarts is normal.
  static let patience = 5

  private struct Contents {
    var failures = 0
    var last: ControlError?
  }

  private let state = Mutex(Contents())

  /// The error of the last try, if it is to be told.
  var lasting: ControlError? { state.withLock { $0.failures < Self.patience ? nil : $0.last } }

  /// Counts a try that failed; returns true if that is to be reported: it has begun to last.
  func failed(_ error: ControlError) -> Bool {
    state.withLock { state in
      state.failures += 1
      state.last = error
      return state.failures == Self.patience
    }
  }

  /// Ends it after a try that did not fail; returns true if it was reported.
  func ended() -> Bool { state.withLock { exchange(&$0, with: Contents()).failures >= Self.patience } }
}
