import CSpawn
import Glibc

/// Starting a process by the starter (`CSpawn`), which holds none of the test program's descriptors.
///
/// Foundation's `Process` will not do for tests. It waits for a child until a socket that the child inherited is
/// closed, and then in `wait4` on the one thread that waits for all of them: a program that closes its descriptors and
/// lives on (systemd-socket-activate) stops every other `Process`. It hands blocked signals down, and it crashes now
/// and then where threads start processes at the same time. And whatever forks in the test program itself keeps, until
/// the child's exec, each lock, lease and socket that some test just gave up.
struct Spawn {
  /// The process that starts all others.
  static var starter: pid_t { cspawn_starter() }

  /// The program, found in PATH or by its whole path, and its arguments.
  let words: [String]
  let environment: [String: String]
  /// The files that standard output and standard error go to.
  let output: String
  let errors: String

  func start(input path: String) throws -> Waiter { try start(input: -1, path) }

  func start(input descriptor: Int32) throws -> Waiter { try start(input: descriptor, "") }

  /// Starts it in a group of its own. It has no signal blocked or ignored, and no descriptor of ours.
  private func start(input descriptor: Int32, _ path: String) throws -> Waiter {
    var pid: pid_t = 0
    var life: Int32 = -1
    var code: Int32 = 0
    unsafe Self.withCStrings(words) { words in
      unsafe Self.withCStrings(environment.map { "\($0)=\($1)" }) { variables in
        code = unsafe cspawn_start(words, variables, descriptor, path, output, errors, &pid, &life)
      }
    }
    guard code == 0 else { throw Missing("cannot start a process: \(words): error \(code)") }
    return Waiter(pid: pid, life: life)
  }

  /// Lends an array of C strings that ends in NULL, as `argv` and `envp` do.
  private static func withCStrings(
    _ texts: [String], _ body: (UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>) -> Void
  ) {
    var pointers: [UnsafeMutablePointer<CChar>?] = unsafe texts.map { unsafe strdup($0) } + [nil]
    defer { unsafe pointers.forEach { unsafe free($0) } }
    unsafe pointers.withUnsafeMutableBufferPointer { buffer in
      guard let base = buffer.baseAddress else { return }
      unsafe body(base)
    }
  }
}
