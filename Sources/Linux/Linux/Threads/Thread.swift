import CLinux
import Glibc

/// Starts threads. No other code does.
public enum Thread {
  /// The signals that are caused by a fault of the program itself.
  private static let faults = [SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGABRT, SIGTRAP, SIGSYS]

  /// Starts a detached thread, which ends together with its body. It accepts only the signals of a fault, which end the process with a
  /// backtrace and a core dump on any thread. Of its name at most 15 bytes are used; of the stack, memory only as far as it grows.
  /// - Throws: ``FileError`` with EAGAIN at the limit of threads.
  public static func start(
    _ name: String, stackSize: Int = 1 << 20, _ body: @escaping @Sendable () -> Void
  ) throws(FileError) {
    var thread = pthread_t()
    var attributes = pthread_attr_t()
    unsafe pthread_attr_init(&attributes)
    defer { unsafe pthread_attr_destroy(&attributes) }
    unsafe pthread_attr_setdetachstate(&attributes, Int32(PTHREAD_CREATE_DETACHED))
    unsafe pthread_attr_setstacksize(&attributes, stackSize)

    // A new thread inherits the signal mask of its creator, so no signal can arrive before the mask is set.
    var blocked = sigset_t()
    var before = sigset_t()
    unsafe sigfillset(&blocked)
    for fault in faults { unsafe sigdelset(&blocked, fault) }
    unsafe pthread_sigmask(SIG_SETMASK, &blocked, &before)
    defer { unsafe pthread_sigmask(SIG_SETMASK, &before, nil) }

    let start = unsafe Unmanaged.passRetained(Start(name: name, body: body))
    let error = unsafe pthread_create(
      &thread, &attributes,
      { argument in
        guard let argument = unsafe argument else { return nil }
        let start = unsafe Unmanaged<Start>.fromOpaque(argument).takeRetainedValue()
        unsafe clinux_name_thread(start.name)
        start.body()
        return nil
      }, start.toOpaque())
    guard error == 0 else {
      unsafe start.release()
      throw FileError("start", path: "the thread \(name)", errno: error)
    }
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
