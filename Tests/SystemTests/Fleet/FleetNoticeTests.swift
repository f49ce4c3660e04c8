import ChildProcesses
import Fleet
import Foundation
import Settings
import Testing

@testable import Harness

/// Notices (LISTEN, NOTIFY): agents hear at once of what is asked, and the mirror sends none.
@Suite(.slot, .needs(.postgreSQL))
struct FleetNoticeTests {
  /// A server that logs each statement, with the role before it.
  private static let logging = ["-c", "log_statement=all", "-c", "log_min_messages=log", "-c", "log_line_prefix=%u|"]

  /// The statements of a role.
  private static func statements(of role: String, in log: String) -> [String] {
    // further lines of a statement begin with a tab
    log.replacing("\n\t", with: " ").split(separator: "\n").filter { $0.hasPrefix(role + "|LOG:") }.map(String.init)
  }

  /// An agent whose next look for commands would be tomorrow. The server takes one lock for all transactions with a notice while they
  /// are committed. So the mirror's have none, and what is asked is told of afterwards.
  @Test func onlyRequestsSendNoticesThatWakeAgents() async throws {
    try await withFleet(1, faults: FleetTests.refusing, starting: false, options: Self.logging) { rig in
      var settings = FleetSettings(database: rig.server.database("host1"))
      (settings.socket, settings.heartbeat) = (rig.hosts[0].daemon.setup.socket, .seconds(1))
      let agent = FleetAgent(settings, name: "host1", session: "test", lookEvery: .seconds(86_400)) { _ in }
      let running = Task { try await agent.run() }
      defer { running.cancel() }
      try await FleetTests.questions(rig, 3)
      try await until("the agent to listen") { rig.server.log.contains("LISTEN") }
      let page = try await FleetPage(rig, lines: ["user = \"anna\""])
      defer { page.cut() }
      for job in 1...3 {
        let asked = try await page.send("/v1/jobs/host1:\(job)/cancel", [:])
        #expect(asked.status == 200, "\(asked)")
      }
      try await rig.untilExact()
      running.cancel()
      try await running.value
      let agents = Self.statements(of: "host1", in: rig.server.log)
      for part in [
        "waybill.take", "UPDATE waybill.command", "LISTEN",
      ] {
        #expect(agents.contains { $0.contains(part) }, "\(part)")
      }
      #expect(!agents.contains { $0.uppercased().contains("NOTIFY") })
      #expect(try await rig.sql("SELECT count(*) FROM pg_trigger WHERE NOT tgisinternal") == "0\n")
      let asking = Self.statements(of: "anna", in: rig.server.log)
      let notices = asking.indices.filter { asking[$0].contains("pg_notify") }
      let requests = asking.indices.filter { asking[$0].contains("INSERT INTO waybill.command") }
      #expect(notices.count == 3 && requests.count == 3 && !asking.contains { $0.contains("BEGIN") }, "\(asking)")
      #expect(zip(requests, notices).allSatisfy { $0 < $1 }, "\(asking)")
    }
  }
}
