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
      try await until("the alarm") { try await rig.fleet("status").output.contains("! host1 was not heard of since") }
      let seen = try await rig.sql("SELECT seen_at FROM waybill.host")

      // jobs go on, and the fleet shows the host as it was
      for number in 0..<20 { try host.drop("cut\(number).pdf") }
      try await until("the files") { try await host.daemon.count("registered") == 20 }
      #expect(try await rig.sql("SELECT count(*) FROM waybill.job") == "2\n")

      // asked meanwhile: one may still be carried out, and the time of the other is over before the line is whole
      let (kept, late) = (
        try await rig.fleet("confirm", "host1/1", "--wait", "1"),
        try await rig.fleet("cancel", "host1/2", "--wait", "1")
      )
      for asked in [kept, late] {
        #expect(asked.status == 75 && asked.output.contains("0 of 1 done, host1 not heard of since"), "\(asked)")
        #expect(asked.output.contains("carried out when it is back, until "), "\(asked)")
      }
      let names = [kept, late].map {
        $0.errors.firstMatch(of: /waybill-fleet requests ([0-9a-f]{8})/).map { String($0.1) }
      }
      let (first, second) = (try #require(names[0]), try #require(names[1]))
      _ = try await rig.sql("UPDATE waybill.command SET expires_at = now() WHERE action = 'cancel'")
      #expect(try await rig.sql("SELECT seen_at FROM waybill.host") == seen, "nothing got through")
      try await line.mend(cut)

      try await until("the first to be carried out") {
        try await host.daemon.job(1).state == "registered"
      }
      let done = try await rig.fleet("requests", first, "--wait", "600")
      #expect(done.status == 0 && done.output.contains("1 of 1 done"), "\(done)")
      let expired = try await rig.fleet("requests", second, "--wait", "600")
      #expect(expired.status == 1 && expired.output.contains("0 of 1 done, 1 expired"), "\(expired)")
      #expect(expired.errors.contains("host1/2: expired: its time was over"), "\(expired)")
      #expect(try await host.daemon.job(2).state == "awaiting-confirmation")
      try await rig.untilExact()
      let list = try await rig.fleet("requests")
      #expect(list.output.contains(first) && list.output.contains("1 expired"), "\(list)")
      #expect(try await rig.fleet("requests", "ffffffff").status == 1)
    }
  }
}
