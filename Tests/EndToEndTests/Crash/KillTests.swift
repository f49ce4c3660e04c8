import ChildProcesses
import Failpoints
import Testing

@testable import Harness

/// The daemon is killed by SIGKILL between two durable facts, and started again: no file is lost, none is registered twice.
/// `CrashTests` does this at every failpoint there is.
@Suite(.slot, .needs(.failpoints))
struct KillTests {
  /// One on each side of each durable fact of a job's life, and one for each kind of what is dropped.
  static let points: [(Failpoint, CrashScenario)] = [
    (.claimRenamed, .plain), (.claimSynced, .plain), (.admissionCommitted, .plain), (.putSending, .plain),
    (.putAnswered, .plain), (.linkCommitted, .plain), (.registerAnswered, .plain), (.receiptCommitted, .plain),
    (.fileRemoved, .plain), (.partAnswered, .parts), (.archiveRenamed, .archive), (.sidecarRenamed, .sidecars),
    (.memberStored, .group), (.cancelCommitted, .cancelled),
  ]

  @Test(arguments: points)
  func aKillLosesNothing(point: Failpoint, scenario: CrashScenario) async throws {
    try await withCrashes(scenario) { run in
      try await run.die(at: point)
      try await run.expectWell()
    }
  }
}
