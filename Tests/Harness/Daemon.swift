import ChildProcesses
import Foundation
import Glibc
import Synchronization

/// The real `waybilld`, started, watched, ended and started again as a test wants.
final class Daemon: Sendable {
  let setup: DaemonSetup
  private let journal: Journal?
  private let prefix: [String]
  private let environment: [String: String]
  private let state = Mutex<(child: ChildProcess?, starts: Int)>((nil, 0))

  /// What systemd or a shell may have set for the test itself is none of the daemon's.
  private static let cleared: [String: String?] = Dictionary(
    uniqueKeysWithValues: [
      "NOTIFY_SOCKET", "WATCHDOG_USEC", "WATCHDOG_PID", "LISTEN_FDS", "LISTEN_PID", "LISTEN_FDNAMES",
      "STATE_DIRECTORY", "RUNTIME_DIRECTORY", "CREDENTIALS_DIRECTORY", "JOURNAL_STREAM", "WAYBILL_SOCKET",
      "http_proxy", "https_proxy", "HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "all_proxy",
    ].map { ($0, nil) })

  /// `prefix` are words before its own, e.g. for another user.
  init(
    _ setup: DaemonSetup, journal: Journal? = nil, prefix: [String] = [], environment: [String: String] = [:]
  ) {
    self.setup = setup
    self.prefix = prefix
    self.journal = journal
    self.environment = environment
  }

  var words: [String] { (journal?.prefix ?? []) + prefix + [Products.daemon, "--config", setup.config.path] }

  /// Starts it without waiting for anything. `more` is the environment of this life alone.
  @discardableResult
  func launch(environment more: [String: String] = [:]) throws -> ChildProcess {
    try state.withLock { state in
      state.starts += 1
      let environment = environment.merging(more) { $1 }
      let child = try ChildProcess(
        words, environment: Self.cleared.merging(environment.mapValues { $0 }) { $1 }, folder: setup.folder,
        log: "\(setup.name).\(state.starts)")
      state.child = child
      return child
    }
  }

  func start(environment more: [String: String] = [:], line: Int = #line) async throws {
    let child = try launch(environment: more)
    try await until("the daemon to answer", every: .milliseconds(10), line: line) {
      guard try child.ending() == nil else { throw Missing("the daemon ended at its start: \(child.errorText)") }
      return try await control("GET", "/v1/status").status == 200
    }
  }

  func child() throws -> ChildProcess {
    guard let child = state.withLock({ $0.child }) else { throw Missing("the daemon was not started") }
    return child
  }

  var pid: Int32 { get throws { try child().pid } }
  var errorText: String { get throws { try child().errorText } }

  /// How many lines it has written with these words in them.
  func told(_ words: String) throws -> Int { try errorText.split(separator: "\n").count { $0.contains(words) } }

  /// Ends it as an operator or systemd does.
  func stop(within limit: Duration = patience) async throws -> ChildProcess.End {
    let child = try child()
    child.signal(SIGTERM)
    let end = try await child.end(within: limit)
    // Whoever expects another end than this one hears of it, and else nobody knows why.
    if end != .exit(0) { print("waybilld ended with \(end): \(child.errorText.suffix(2000))") }
    return end
  }

  /// Ends it as a power cut does to a process: without a word.
  func kill() async throws {
    let child = try child()
    child.signal(SIGKILL)
    _ = try await child.end()
  }

  func cut() { state.withLock { $0.child }?.cut() }
}
