import CSpawn
import Foundation
import Glibc
import Synchronization

/// Waits for the end of one process on a thread of its own.
final class Waiter: Sendable {
  let pid: pid_t
  private let life: Int32

  private let ending = Mutex<Result<ChildProcess.End, Missing>?>(nil)

  /// - Parameter life: what `cspawn_start` gave for it.
  init(pid: pid_t, life: Int32) {
    self.pid = pid
    self.life = life
    Thread.detachNewThread { self.wait() }
  }

  func end() throws(Missing) -> ChildProcess.End? { try ending.withLock { $0 }?.get() }

  func signal(_ number: Int32) { ending.withLock { if $0 == nil { kill(pid, number) } } }

  /// Sends a signal to it and to those of its group, unless it has ended.
  func signalGroup(_ number: Int32) { ending.withLock { if $0 == nil { kill(-pid, number) } } }

  private func wait() {
    var (isSignal, status): (Int32, Int32) = (0, 0)
    let code = unsafe cspawn_wait(life, &isSignal, &status)
    // It is reaped under the lock: as long as it is a zombie, its number is not another's.
    ending.withLock { ending in
      cspawn_reap(life)
      ending =
        code == 0
        ? .success(isSignal == 0 ? .exit(status) : .signal(status))
        : .failure(Missing("the end of process \(pid) was not told: error \(code)"))
    }
  }
}
