import Glibc

/// The first process of a container (PID 1) has duties that no other has: it is given the orphans of all others and must reap them,
/// and the kernel drops signals for which it has no handler (pid_namespaces(7)).
///
/// The daemon cannot do this beside its work, since it could not tell an orphan from a program that it runs and waits for itself.
/// So the first process starts the program once more and does nothing else than to pass signals on and to reap.
public enum FirstProcess {
  /// True if this process is the first one. With sockets that were passed to it by number it has to be the daemon itself.
  public static var isThisOne: Bool { unsafe getpid() == 1 && getenv("LISTEN_PID") == nil }

  /// Starts this program once more with the same arguments, and returns its exit status when it has ended: 128 and the signal's
  /// number if a signal ended it.
  ///
  /// - Throws: ``SystemdError`` if it cannot be started.
  public static func run() async throws(SystemdError) -> Int32 {
    let signals = try Signals.stream(passedOn + [SIGCHLD])
    let program = try start()
    for await number in signals {
      if number == SIGCHLD {
        if let status = reap(until: program) { return status }
      } else {
        kill(program, number)
      }
    }
    return 128
  }

  private static let passedOn = [SIGTERM, SIGINT, SIGHUP, SIGQUIT, SIGUSR1, SIGUSR2]

  private static func start() throws(SystemdError) -> pid_t {
    var attributes = posix_spawnattr_t()
    unsafe posix_spawnattr_init(&attributes)
    defer { unsafe posix_spawnattr_destroy(&attributes) }
    // The signals that threads of this process block are not the program's.
    var none = sigset_t()
    unsafe sigemptyset(&none)
    unsafe posix_spawnattr_setsigmask(&attributes, &none)
    unsafe posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGMASK))
    var program: pid_t = 0
    let code = unsafe posix_spawn(
      &program, "/proc/self/exe", nil, &attributes, CommandLine.unsafeArgv, environ)
    guard code == 0 else { throw SystemdError("posix_spawn", "/proc/self/exe", code: code) }
    return program
  }

  /// Reaps all that have ended; the program's exit status, if it is one of them.
  private static func reap(until program: pid_t) -> Int32? {
    var ended: Int32?
    while true {
      var status: Int32 = 0
      let child = unsafe waitpid(-1, &status, WNOHANG)
      guard child > 0 else { return ended }
      // The macros of wait(2), which Swift does not import.
      if child == program { ended = status & 0x7F == 0 ? (status >> 8) & 0xFF : 128 + (status & 0x7F) }
    }
  }
}
