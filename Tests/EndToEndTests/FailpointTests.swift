import ChildProcesses
import Foundation
import Glibc
import Linux
import Testing

@testable import Harness

/// The places where a debug build can be made to die or hang; that they are is what other tests stand on.
@Suite(.slot, .needs(.failpoints))
struct FailpointTests {
  @Test(arguments: [1, 3])
  func processEndsAtNamedPass(turn: Int) async throws {
    try await withRig(starting: false) { rig in
      for number in 1...3 { try rig.drop("\(number).pdf") }
      let child = try rig.daemon.launch(environment: Failpoint.receiptCommitted.variable(turn: turn))
      #expect(try await child.end() == .signal(SIGKILL))
      #expect(Failpoint.met(by: child) == .receiptCommitted)
      #expect(try rig.sandbox.registrations().count >= turn)
      try await rig.daemon.start()
      try await until("all to be registered") { try await rig.daemon.count("registered") == 3 }
      #expect(try rig.sandbox.registrations().count == 3)
    }
  }

  @Test func hungThreadStopsNoOther() async throws {
    try await withRig(starting: false) { rig in
      try rig.drop("a.pdf")
      let child = try rig.daemon.launch(environment: Failpoint.claimRenamed.variable(hanging: true))
      try await until("the spool's thread to hang") { Failpoint.met(by: child) == .claimRenamed }
      try await until("the control socket to answer") {
        try await rig.daemon.control("GET", "/v1/status").status == 200
      }
      #expect(try await rig.daemon.jobs().isEmpty)
      #expect(try child.ending() == nil)
    }
  }

  @Test(arguments: ["noSuchPlace", "started:0", "started:many", "started=sleep", "started=until:", ""])
  func invalidPlanEndsProcess(plan: String) async throws {
    try await withRig(starting: false) { rig in
      let end = try await rig.daemon.launch(environment: ["WAYBILL_FAILPOINT": plan]).result()
      #expect(end.status == EX_USAGE)
      #expect(end.errors.contains("WAYBILL_FAILPOINT=\(plan) is not NAME"), "\(end.errors)")
    }
  }
}
