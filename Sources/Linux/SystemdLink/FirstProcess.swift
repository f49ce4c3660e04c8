import Glibc

/// The first process of a container (PID 1) has special duties: it becomes the parent of all orphaned processes and must reap
/// them, and the kernel drops signals for which it has no handler (pid_namespaces(7)).
///
/// The daemon cannot do this itself, because it could not distinguish an orphan from a program that it runs and waits for. So the
/// first process starts the program again, and then only passes signals on and reaps.
public enum FirstProcess {
  /// True if this process is the first one. If sockets were passed to it by process id, it must be the daemon itself.
  public static var isThisOne: Bool { unsafe getpid() == 1 && getenv("LISTEN_PID") == nil }

  /// Starts this program again with the same arguments, and returns its exit status when it has ended: 128 plus the signal's
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
    // The program must not inherit the blocked signals of this process.
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

  /// Reaps all processes that have ended; returns the program's exit status if it is one of them.
  private static func reap(until program: pid_t) -> Int32? {
    var ended: Int32?
    while true {
      var status: Int32 = 0
      let child = unsafe waitpid(-1, &status, WNOHANG)
      guard child > 0 else { return ended }
      // These are the macros of wait(2), which Swift does not import.
      if child == program { ended = status & 0x7F == 0 ? (status >> 8) & 0xFF : 128 + (status & 0x7F) }
    }
  }
}
