import Foundation
import Glibc
import Synchronization

/// A process that a test started. Its output goes to files: no pipe can fill up, and none is inherited by a sibling.
final class ChildProcess: Sendable {
  let pid: pid_t
  private let words: [String]
  private let output: URL
  private let errors: URL
  private let ended = Mutex<End?>(nil)

  /// How a process ended.
  enum End: Equatable, Sendable {
    case exit(Int32)
    case signal(Int32)
  }

  /// Starts a program; of the environment, what is nil is taken away. Its output is in `NAME.out` and `NAME.err`.
  init(
    _ words: [String], environment: [String: String?] = [:], input: URL? = nil, folder: URL, log name: String
  ) throws {
    self.words = words
    output = folder.appending(path: name + ".out")
    errors = folder.appending(path: name + ".err")
    var variables = ProcessInfo.processInfo.environment
    for (name, value) in environment { variables[name] = value }
    pid = try Spawn.start(
      words, environment: variables, input: input?.path ?? "/dev/null", output: output.path, errors: errors.path)
  }

  var outputText: String { Self.text(of: output) }
  var errorText: String { Self.text(of: errors) }

  /// How it ended; nil while it runs.
  func ending() throws -> End? {
    try ended.withLock { ended in
      if ended == nil { ended = try Spawn.end(of: pid) }
      return ended
    }
  }

  /// Sends a signal, unless it has ended: its number may be another's by now.
  func signal(_ number: Int32) {
    ended.withLock { if $0 == nil { kill(pid, number) } }
  }

  /// Waits for the end.
  @discardableResult
  func end(within limit: Duration = patience, line: Int = #line) async throws -> End {
    try await until("the end of \(words)", within: limit, every: .milliseconds(5), line: line) { try ending() }
  }

  /// Ends it whatever it does, and comes back when it is gone. For the end of a test.
  func cut() {
    signal(SIGKILL)
    for _ in 0..<1000 {
      do {
        if try ending() != nil { return }
      } catch {
        print("ignored: process \(pid) may be left behind: \(error)")
        return
      }
      usleep(5000)
    }
  }

  private static func text(of file: URL) -> String {
    String(decoding: FileManager.default.contents(atPath: file.path) ?? Data(), as: UTF8.self)
  }
}
