import ChildProcesses
import Foundation
import Linux
import Seams

/// One scenario with its daemon, which may die at any moment and is started again, and the books that are kept of it.
final class CrashRun {
  enum End: Equatable {
    /// All was settled, with these faults in the books, and it stopped when it was asked to.
    case settled(faults: [String])
    static let well = settled(faults: [])
    /// By SIGKILL, at the failpoint that it named.
    case died(at: Failpoint?)
    /// It told of the error of a call, which stayed, and stopped when it was asked to.
    case told
    /// It ended by itself, with this status.
    case exited(Int32)
    case crashed(signal: Int32)
  }

  let scenario: CrashScenario
  let rig: Rig
  let elsewhere: URL
  var books: Books
  /// Whether ``act()`` has done what there is to do.
  var hasActed = false

  init(_ scenario: CrashScenario, _ rig: Rig, elsewhere: URL) {
    self.scenario = scenario
    self.rig = rig
    self.elsewhere = elsewhere
    books = Books(places: Self.places(scenario, rig, elsewhere))
  }

  var clerk: Clerk { Clerk(daemon: rig.daemon) }

  func live(until point: Failpoint? = nil, turn: Int = 1) async throws -> End {
    let (end, words) = try await live(point?.variable(turn: turn) ?? [:]) { _ in false }
    switch end {
    case .settled, .died: return end
    case .told, .exited, .crashed: throw Missing("the daemon ended by itself (\(end)): \(words)")
    }
  }

  /// A call fails before the process is gone. Only a test that fails waits for the end of one that lives.
  func hasEnded(_ child: ChildProcess) async throws -> Bool {
    do {
      try await child.end()
      return true
    } catch is TimedOut {
      return false
    }
  }

  func faultsAtDeath() async throws -> [String] {
    try await books.faultsAtDeath(ledger: rig.setup.state, [rig.sandbox])
  }
}

/// Sets up a scenario and runs the body, with a folder in another file system beside.
func withCrashes(_ scenario: CrashScenario, line: Int = #line, _ body: (CrashRun) async throws -> Void) async throws {
  let folder = try TemporaryFolder(inMemory: true)
  let elsewhere = folder.url
  try await withRig(
    faults: scenario.faults, starting: false, sandbox: scenario.sandbox, line: line,
    { try CrashRun.adjust(&$0, scenario, elsewhere) }
  ) { rig in
    let run = CrashRun(scenario, rig, elsewhere: elsewhere)
    try await run.drop()
    try await body(run)
  }
}
