import Foundation
import Glibc
import Synchronization

/// Waits for one child on a thread of its own, so that none stays a zombie for longer than a moment.
///
/// The exit tests of Swift Testing wait for any child of the process: a zombie that is nobody's keeps them busy, and
/// they do not hear of the children that they wait for.
final class Waiter: Sendable {
  private let pid: pid_t
  private let ended = Mutex<Result<ChildProcess.End, Missing>?>(nil)

  init(pid: pid_t) {
    self.pid = pid
    Thread.detachNewThread { self.wait() }
  }

  /// How it ended; nil while it runs.
  func end() throws(Missing) -> ChildProcess.End? { try ended.withLock { $0 }?.get() }

  /// Sends a signal, unless it has ended.
  func signal(_ number: Int32) { ended.withLock { if $0 == nil { kill(pid, number) } } }

  /// Sends a signal to it and to those of its group, unless it has ended.
  func signalGroup(_ number: Int32) { ended.withLock { if $0 == nil { kill(-pid, number) } } }

  private func wait() {
    // It is only looked at here, and reaped under the lock: as long as it is a zombie, its number is not another's.
    var information = unsafe siginfo_t()
    while unsafe waitid(P_PID, id_t(pid), &information, WEXITED | WNOWAIT) != 0, errno == EINTR {}
    ended.withLock { ended in
      var status: Int32 = 0
      guard unsafe waitpid(pid, &status, 0) == pid else {
        ended = .failure(Missing("the end of process \(pid) was not told: error \(errno)"))
        return
      }
      // The macros WIFEXITED, WEXITSTATUS and WTERMSIG of wait(2), which Swift does not see.
      ended = .success(status & 0x7F == 0 ? .exit((status >> 8) & 0xFF) : .signal(status & 0x7F))
    }
  }
}
