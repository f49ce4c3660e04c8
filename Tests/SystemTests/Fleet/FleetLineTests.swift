import ChildProcesses
import Foundation
import Testing

@testable import Harness

/// The line to the database is cut: the host goes on, and what was asked meanwhile is carried out, or expires.
@Suite(
  .slot,
  .needs(.postgreSQL, .networkNamespace))
struct FleetLineTests {
  @Test(arguments: NetworkLink.Cut.allCases)
  func survivesCutLineAndReportsOutcome(cut: NetworkLink.Cut) async throws {
    let faults: JSONValue = ["register": ["statuses": [422, 422]]]
    try await withFleet(1, faults: faults, byLine: true) { rig in
      let host = rig.hosts[0]
      let line = try #require(rig.line)
      try await FleetTests.questions(rig, 2)
      try await line.cut(cut)
      try await until("the silence") {
        try await rig.sql("SELECT seen_at < now() - 3 * heartbeat FROM waybill.host") == "t\n"
      }
      let seen = try await rig.sql("SELECT seen_at FROM waybill.host")

      // jobs go on, and the fleet shows the host as it was
      for number in 0..<20 { try host.drop("cut\(number).pdf") }
      try await until("the files") { try await host.daemon.count("registered") == 20 }
      #expect(try await rig.sql("SELECT count(*) FROM waybill.job") == "2\n")

      // asked meanwhile: one may still be carried out, and the time of the other is over before the line is whole
      let kept = try await rig.server.ask("confirm", where: "job.number = 1")
      let late = try await rig.server.ask("cancel", where: "job.number = 2")
      _ = try await rig.sql("UPDATE waybill.command SET expires_at = now() WHERE \(late)")
      #expect(try await rig.sql("SELECT seen_at FROM waybill.host") == seen, "nothing got through")
      try await line.mend(cut)

      try await until("the first to be carried out") {
        try await host.daemon.job(1).state == "registered"
      }
      #expect(try await rig.server.outcomes(kept) == ["done: 1"])
      #expect(try await rig.server.outcomes(late) == ["refused: 1"])
      let words = try await rig.sql("SELECT words FROM waybill.command WHERE \(late)")
      #expect(words.contains("its time was over"), "\(words)")
      #expect(try await host.daemon.job(2).state == "awaiting-confirmation")
      try await rig.untilExact()
    }
  }
}
