import CSpawn
import Glibc

/// Starting a process by `posix_spawn`.
///
/// Foundation's `Process` will not do for tests. It waits for a child until a socket that the child inherited is
/// closed, and then in `wait4` on the one thread that waits for all of them: a program that closes its descriptors and
/// lives on (systemd-socket-activate) stops every other `Process`. It hands blocked signals down, and it crashes now
/// and then where threads start processes at the same time.
struct Spawn {
  /// The program, found in PATH or by its whole path, and its arguments.
  let words: [String]
  let environment: [String: String]
  /// The files that standard output and standard error go to.
  let output: String
  let errors: String

  /// Starts it, with a file as its input.
  func start(input path: String) throws -> pid_t {
    try unsafe start { actions in
      try Self.check(path, unsafe posix_spawn_file_actions_addopen(actions, 0, path, O_RDONLY, 0))
    }
  }

  /// Starts it, with a descriptor of ours as its input.
  func start(input descriptor: Int32) throws -> pid_t {
    try unsafe start { actions in
      try Self.check("input", unsafe posix_spawn_file_actions_adddup2(actions, descriptor, 0))
    }
  }

  /// Starts it in a group of its own. It has no signal blocked or ignored, and no descriptor of ours.
  private func start(
    _ addInput: (UnsafeMutablePointer<posix_spawn_file_actions_t>) throws -> Void
  ) throws -> pid_t {
    var actions = unsafe posix_spawn_file_actions_t()
    try Self.check("posix_spawn_file_actions_init", unsafe posix_spawn_file_actions_init(&actions))
    defer { unsafe posix_spawn_file_actions_destroy(&actions) }
    try unsafe addInput(&actions)
    for (descriptor, path) in [(1, output), (2, errors)] as [(Int32, String)] {
      try Self.check(
        path, unsafe posix_spawn_file_actions_addopen(&actions, descriptor, path, O_WRONLY | O_CREAT | O_TRUNC, 0o644))
    }
    // Close-on-exec is the rule, but a library may not keep it: glibc 2.34 and later close all others.
    try Self.check("closefrom", unsafe posix_spawn_file_actions_addclosefrom_np(&actions, 3))
    var attributes = posix_spawnattr_t()
    try Self.check("posix_spawnattr_init", unsafe posix_spawnattr_init(&attributes))
    defer { unsafe posix_spawnattr_destroy(&attributes) }
    var signals = sigset_t()
    unsafe sigemptyset(&signals)
    try Self.check("setsigmask", unsafe posix_spawnattr_setsigmask(&attributes, &signals))
    unsafe sigfillset(&signals)
    try Self.check("setsigdefault", unsafe posix_spawnattr_setsigdefault(&attributes, &signals))
    try Self.check("setpgroup", unsafe posix_spawnattr_setpgroup(&attributes, 0))
    let flags = POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETPGROUP
    try Self.check("setflags", unsafe posix_spawnattr_setflags(&attributes, Int16(flags)))
    var pid: pid_t = 0
    let variables = environment.map { "\($0)=\($1)" }
    try unsafe Self.withCStrings(words) { words in
      try unsafe Self.withCStrings(variables) { variables in
        guard let program = unsafe words[0] else { throw Missing("no program was named") }
        let code = unsafe posix_spawnp(&pid, program, &actions, &attributes, words, variables)
        try Self.check(unsafe String(cString: program), code)
      }
    }
    return pid
  }

  private static func check(_ what: String, _ code: Int32) throws {
    guard code == 0 else { throw Missing("cannot start a process: \(what): error \(code)") }
  }

  /// Lends an array of C strings that ends in NULL, as `argv` and `envp` do.
  private static func withCStrings(
    _ texts: [String], _ body: (UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>) throws -> Void
  ) throws {
    var pointers: [UnsafeMutablePointer<CChar>?] = unsafe texts.map { unsafe strdup($0) } + [nil]
    defer { unsafe pointers.forEach { unsafe free($0) } }
    try unsafe pointers.withUnsafeMutableBufferPointer { buffer in
      guard let base = buffer.baseAddress else { return }
      try unsafe body(base)
    }
  }
}
