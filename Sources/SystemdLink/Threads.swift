import CSystemd
import Glibc

/// Threads of our own, for calls that block.
enum Threads {
  /// Starts a detached thread that takes no signals but those a fault raises.
  ///
  /// Signals are blocked before the thread exists, so none can arrive in between.
  static func start(_ name: String, _ body: @escaping @Sendable () -> Void) throws(SystemdError) {
    let start = unsafe Unmanaged.passRetained(Start(name: name, body: body))
    var all = sigset_t()
    var before = sigset_t()
    unsafe sigfillset(&all)
    // A fault in the thread itself has to end the process with its core dump, not spin.
    for fault in [SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGABRT, SIGTRAP, SIGSYS] { unsafe sigdelset(&all, fault) }
    unsafe pthread_sigmask(SIG_SETMASK, &all, &before)
    var thread = pthread_t()
    let code = unsafe pthread_create(
      &thread, nil,
      { argument in
        guard let argument = unsafe argument else { return nil }
        let start = unsafe Unmanaged<Start>.fromOpaque(argument).takeRetainedValue()
        unsafe waybill_name_thread(start.name)
        start.body()
        return nil
      }, unsafe start.toOpaque())
    unsafe pthread_sigmask(SIG_SETMASK, &before, nil)
    guard code == 0 else {
      unsafe start.release()
      throw SystemdError("pthread_create", name, code: code)
    }
    pthread_detach(thread)
  }

  private final class Start: Sendable {
    let name: String
    let body: @Sendable () -> Void

    init(name: String, body: @escaping @Sendable () -> Void) {
      self.name = name
      self.body = body
    }
  }
}
