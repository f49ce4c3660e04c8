package import Jobs
import Synchronization

/// Notices at each commit of the ledger if the wall clock was set.
///
/// The history is checked every ten minutes at most. A clock that is set and corrected between two checks would go unnoticed, although
/// jobs that ended in between have a wrong date and may count as old. Each end of a job is a commit, so commits see every clock that
/// dated one.
package final class ClockJumps: Sendable {
  /// A change of the wall clock that somebody made.
  struct Jump: Equatable {
    /// The time by which it was set forward; negative if it was set back.
    var by: Duration
    /// The time on the steady clock at which it was noticed.
    var at: Timestamp
  }

  private struct State {
    /// The difference of the two clocks at the last look.
    var offset: Duration
    var last: Jump?
    var act: @Sendable () -> Void = {}
  }

  private let clock: Clock
  private let state: Mutex<State>

  /// Begins with the clocks as they are now.
  package init(clock: Clock) {
    self.clock = clock
    state = Mutex(State(offset: clock.now() - clock.steady()))
  }

  /// The last jump since the start; nil if there was none.
  var last: Jump? { state.withLock(\.last) }

  /// Sets the function to call after each jump. It must not block.
  package func onJump(_ act: @escaping @Sendable () -> Void) { state.withLock { $0.act = act } }

  /// Compares the clocks with those of the last look.
  package func look() {
    let steady = clock.steady()
    let offset = clock.now() - steady
    let act = state.withLock { state -> (@Sendable () -> Void)? in
      let jumped = offset - state.offset
      state.offset = offset
      guard HistoryPace.isJump(jumped) else { return nil }
      state.last = Jump(by: jumped, at: steady)
      return state.act
    }
    act?()
  }
}
