import ChildProcesses
import Foundation
import Glibc
import Linux
import Seams

/// One scenario with its daemon, which may die at any moment and is started again, and the books that are kept of it.
final class CrashRun {
  /// How a life of the daemon ended.
  enum End: Equatable {
    /// All was settled, with these faults in the books, and it stopped when it was asked to.
    case settled(faults: [String])

    /// As it should be.
    static let well = settled(faults: [])

    /// By SIGKILL, at the failpoint that it named.
    case died(at: Failpoint?)
  }

  let scenario: CrashScenario
  let rig: Rig
  /// A folder in another file system.
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

  /// Starts the daemon and does what is left to do, until all is settled or it dies.
  ///
  /// - Throws: what takes too long, and whatever else ends the daemon.
  func live(until point: Failpoint? = nil, turn: Int = 1) async throws -> End {
    let child = try rig.daemon.launch(environment: point?.variable(turn: turn) ?? [:])
    var faults = ["nothing was settled"]
    do {
      try await until("the daemon to answer") {
        try await rig.daemon.control("GET", "/v1/status").status == 200 || child.ending() != nil
      }
      if try child.ending() == nil { try await act() }
      try await until("all to be settled") { try await clerk.settles(books) }
      faults = try await books.faults(at: rig.daemon, [rig.sandbox])
      child.signal(SIGTERM)
    } catch {
      // what fails because the daemon has died is no fault of its own
      guard try await hasEnded(child) else { throw error }
    }
    switch try await child.end() {
    case .signal(SIGKILL): return .died(at: Failpoint.met(by: child))
    case .exit(0): return .settled(faults: faults)
    case let end: throw Missing("the daemon ended by itself (\(end)): \(child.errorText)")
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

  /// What is wrong now that no daemon runs.
  func faultsAtDeath() async throws -> [String] {
    try await books.faultsAtDeath(ledger: rig.setup.state, [rig.sandbox])
  }
}

/// Sets up a scenario and runs the body, with a folder in another file system beside.
func withCrashes(_ scenario: CrashScenario, line: Int = #line, _ body: (CrashRun) async throws -> Void) async throws {
  let folder = try FastFolder()
  defer { folder.remove() }
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
