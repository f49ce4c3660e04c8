import CSpawn
import Foundation
import Glibc
import Synchronization

/// Waits for the end of one process on a thread of its own.
final class Waiter: Sendable {
  let pid: pid_t
  private let life: Int32

  private struct Contents {
    var end: Result<ChildProcess.End, Missing>?
    /// Whether a hunt leaves it alone: the test sends signals itself, or waits for the end.
    var isLeftAlone = false
    var isStopped = false
  }

  private let state = Mutex(Contents())

  /// - Parameter life: what `cspawn_start` gave for it.
  init(pid: pid_t, life: Int32) {
    self.pid = pid
    self.life = life
    Thread.detachNewThread { self.wait() }
  }

  /// How it ended; nil while it runs.
  func end() throws(Missing) -> ChildProcess.End? { try state.withLock { $0.end }?.get() }

  /// Sends a signal, unless it has ended.
  func signal(_ number: Int32) {
    leaveAlone()
    state.withLock { if $0.end == nil { kill(pid, number) } }
  }

  /// Sends a signal to it and to those of its group, unless it has ended.
  func signalGroup(_ number: Int32) {
    leaveAlone()
    state.withLock { if $0.end == nil { kill(-pid, number) } }
  }

  /// Has a hunt not stop it any more. If it is stopped, it goes on.
  func leaveAlone() {
    state.withLock { state in
      state.isLeftAlone = true
      goOn(&state)
    }
  }

  /// Stops it with those of its group for so many microseconds, or until it is to be left alone.
  ///
  /// - Returns: false once it has ended or is to be left alone.
  func stop(for microseconds: UInt32) -> Bool {
    let isStopped = state.withLock { state in
      guard state.end == nil, !state.isLeftAlone else { return false }
      kill(-pid, SIGSTOP)
      state.isStopped = true
      return true
    }
    guard isStopped else { return false }
    usleep(microseconds)
    state.withLock { goOn(&$0) }
    return true
  }

  private func goOn(_ state: inout Contents) {
    guard state.isStopped else { return }
    if state.end == nil { kill(-pid, SIGCONT) }
    state.isStopped = false
  }

  private func wait() {
    var (isSignal, status): (Int32, Int32) = (0, 0)
    let code = unsafe cspawn_wait(life, &isSignal, &status)
    // It is reaped under the lock: as long as it is a zombie, its number is not another's.
    state.withLock { state in
      cspawn_reap(life)
      state.end =
        code == 0
        ? .success(isSignal == 0 ? .exit(status) : .signal(status))
        : .failure(Missing("the end of process \(pid) was not told: error \(code)"))
    }
  }
}
