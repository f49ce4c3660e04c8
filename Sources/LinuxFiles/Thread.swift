import CLinux
import Glibc

/// A thread of our own. It blocks every signal, so that the main thread alone meets them.
enum Thread {
  /// Starts a detached thread that ends with its body.
  static func start(_ name: String, _ body: @escaping @Sendable () -> Void) throws(FileError) {
    var thread = pthread_t()
    var attributes = pthread_attr_t()
    unsafe pthread_attr_init(&attributes)
    defer { unsafe pthread_attr_destroy(&attributes) }
    unsafe pthread_attr_setdetachstate(&attributes, Int32(PTHREAD_CREATE_DETACHED))
    unsafe pthread_attr_setstacksize(&attributes, 512 * 1024)

    // A new thread inherits the signal mask of the one that makes it.
    var all = sigset_t()
    var before = sigset_t()
    unsafe sigfillset(&all)
    unsafe pthread_sigmask(SIG_SETMASK, &all, &before)
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
      throw FileError("start thread", path: name, errno: error)
    }
  }

  private final class Start {
    let name: String
    let body: @Sendable () -> Void

    init(name: String, body: @escaping @Sendable () -> Void) {
      self.name = name
      self.body = body
    }
  }
}
