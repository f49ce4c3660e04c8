import Glibc

/// Starting a process by `posix_spawn`.
///
/// Foundation's `Process` will not do for thousands of them: it crashes now and then where threads start processes at
/// the same time, hands its blocked signals down, and sees no end while a grandchild keeps a descriptor.
enum Spawn {
  /// Starts a program found in PATH, with its input, output and errors from and to these files, in a group of its own.
  ///
  /// The child has no signal blocked or ignored.
  static func start(
    _ words: [String], environment: [String: String], input: String, output: String, errors: String
  ) throws -> pid_t {
    var actions = unsafe posix_spawn_file_actions_t()
    try check("posix_spawn_file_actions_init", unsafe posix_spawn_file_actions_init(&actions))
    defer { unsafe posix_spawn_file_actions_destroy(&actions) }
    let write = O_WRONLY | O_CREAT | O_TRUNC
    let files: [(Int32, String, Int32)] = [(0, input, O_RDONLY), (1, output, write), (2, errors, write)]
    for (descriptor, path, flags) in files {
      try check(path, unsafe posix_spawn_file_actions_addopen(&actions, descriptor, path, flags, 0o644))
    }
    var attributes = posix_spawnattr_t()
    try check("posix_spawnattr_init", unsafe posix_spawnattr_init(&attributes))
    defer { unsafe posix_spawnattr_destroy(&attributes) }
    var signals = sigset_t()
    unsafe sigemptyset(&signals)
    try check("setsigmask", unsafe posix_spawnattr_setsigmask(&attributes, &signals))
    unsafe sigfillset(&signals)
    try check("setsigdefault", unsafe posix_spawnattr_setsigdefault(&attributes, &signals))
    try check("setpgroup", unsafe posix_spawnattr_setpgroup(&attributes, 0))
    let flags = POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETPGROUP
    try check("setflags", unsafe posix_spawnattr_setflags(&attributes, Int16(flags)))
    var pid: pid_t = 0
    let variables = environment.map { "\($0)=\($1)" }
    try unsafe withCStrings(words) { words in
      try unsafe withCStrings(variables) { variables in
        guard let program = unsafe words[0] else { throw Missing("no program was named") }
        let code = unsafe posix_spawnp(&pid, program, &actions, &attributes, words, variables)
        try check(unsafe String(cString: program), code)
      }
    }
    return pid
  }

  /// How a child ended; nil while it runs. To be asked no more once it told.
  static func end(of pid: pid_t) throws -> ChildProcess.End? {
    var status: Int32 = 0
    let answer = unsafe waitpid(pid, &status, WNOHANG)
    guard answer >= 0 else { throw Missing("waitpid: error \(errno)") }
    guard answer == pid else { return nil }
    // The macros WIFEXITED, WEXITSTATUS and WTERMSIG of wait(2), which Swift does not see.
    return status & 0x7F == 0 ? .exit((status >> 8) & 0xFF) : .signal(status & 0x7F)
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
