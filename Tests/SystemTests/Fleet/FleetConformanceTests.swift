import ChildProcesses
import Testing

@testable import Harness

/// The fleet's web answers as the description of the API says, like a daemon (`APIConformanceTests`).
@Suite(.slot, .needs(.postgreSQL))
struct FleetConformanceTests {
  @Test(.needs(.schemathesis)) func fleetConformsToDescription() async throws {
    let lines = ["allow = [\"confirm\", \"cancel\", \"retry\", \"discard\", \"remove\"]"]
    try await withFleet(2, faults: FleetTests.refusing, lines: lines) { rig in
      try await FleetTests.questions(rig, 4)
      let page = try await FleetPage(rig, lines: ["peer = true"], socket: true)
      #expect(try await page.waybill(["cancel", "host1:1"]).status == 0)
      try await APIConformanceTests.expectConformance(of: page.origin, in: rig.folder)
      // what the requests asked for is kept, in the name that the kernel reports
      let asked = try await rig.sql("SELECT DISTINCT by_user, asked_by FROM waybill.command")
      #expect(asked == "\(try await OwnUser.name)|anna\n", "\(asked)")
      #expect(try await page.call("GET", "/v1/status").status == 200, "it is still there")
    }
  }
}
