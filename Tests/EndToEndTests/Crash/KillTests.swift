import ChildProcesses
import Linux
import Seams
import Testing

@testable import Harness

/// The daemon is killed by SIGKILL between two durable facts, and started again: no file is lost, none is registered twice.
///
/// These are the places where the kernel, another process or libcurl has a part: locks and shared memory that a killed process leaves,
/// requests that are cut, two file systems; and those of a granted upload. `CrashTableTests` dies at every failpoint there is, in the
/// simulation.
@Suite(.slot, .needs(.failpoints))
struct KillTests {
  /// The places, with the scenario that reaches each.
  static let points: [(Failpoint, CrashScenario)] = [
    (.ledgerCommitting, .plain), (.claimRenamed, .plain), (.putSending, .plain), (.putAnswered, .plain),
    (.linkCommitted, .plain), (.registerAnswered, .plain), (.fileRemoved, .plain), (.partAnswered, .parts),
    (.archivePlaced, .archiveElsewhere), (.sidecarRenamed, .sidecars), (.memberStored, .group),
    (.cancelCommitted, .cancelled), (.attemptBegun, .granted), (.putSending, .granted), (.putAnswered, .granted),
    (.failureCommitted, .granted), (.linkCommitting, .granted), (.linkCommitted, .granted),
    (.registerSending, .granted), (.registerAnswered, .granted), (.receiptCommitted, .granted),
    (.fileRemoved, .granted),
    (.partSending, .grantedParts), (.partAnswered, .grantedParts), (.completeSending, .grantedParts),
    (.completeAnswered, .grantedParts),
  ]

  @Test(arguments: points)
  func killLosesNothing(point: Failpoint, scenario: CrashScenario) async throws {
    try await withCrashes(scenario) { run in
      try await run.die(at: point)
      try await run.expectWell()
    }
  }
}
