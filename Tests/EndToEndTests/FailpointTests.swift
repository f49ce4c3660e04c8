import ChildProcesses
import Foundation
import Glibc
import Linux
import Testing

@testable import Harness

/// The places where a debug build can be made to die or hang; that they are is what other tests stand on.
@Suite(.slot, .needs(.failpoints))
struct FailpointTests {
  @Test(arguments: ["noSuchPlace", "started:0", "started:many", "started=sleep", "started=until:", ""])
  func invalidPlanEndsProcess(plan: String) async throws {
    try await withRig(starting: false) { rig in
      let end = try await rig.daemon.launch(environment: ["WAYBILL_FAILPOINT": plan]).result()
      #expect(end.status == EX_USAGE)
      #expect(end.errors.contains("WAYBILL_FAILPOINT=\(plan) is not NAME"), "\(end.errors)")
    }
  }
}
