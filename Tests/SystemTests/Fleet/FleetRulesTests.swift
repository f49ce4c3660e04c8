import ChildProcesses
import Foundation
import Testing

@testable import Harness

/// What the fleet's alert rules and board ask for is what its page gives.
@Suite(.slot, .needs(.postgreSQL))
struct FleetRulesTests {
  @Test func everyQueriedMetricExists() async throws {
    try await withFleet(1, faults: FleetTests.refusing) { rig in
      try await FleetTests.questions(rig, 1)
      #expect(try await rig.fleet("pause", "backend.main").status == 0)
      let configuration = rig.folder.appending(path: "web.toml")
      try "database = \"\(rig.operatorDatabase)\"\n".write(to: configuration, atomically: true, encoding: .utf8)
      let address = "127.0.0.1:\(Ports.free())"
      let page = try ChildProcess([
        Products.fleet, "web", "--config", configuration.path, "--listen", address,
      ])
      defer { page.cut() }
      var text = ""
      try await until("the page to show the pause") {
        text = try await HTTPAnswer.call("GET", "http://\(address)/metrics").body
        return text.contains("waybill_fleet_paused{")
      }
      let names = Set(
        text.split(separator: "\n").filter { $0.hasPrefix("# TYPE ") }.map { String($0.split(separator: " ")[2]) })
      let metric = /\b(waybill_[a-z_]+|process_[a-z_]+)/
      for file in [
        "etc/waybill-fleet.rules.yml", "etc/waybill-fleet-grafana.json", "Tests/Support/fleet-alert-tests.yml",
      ] {
        let asked = try String(contentsOfFile: Products.source(file), encoding: .utf8).matches(of: metric).map {
          String($0.output.1)
        }
        #expect(asked.count > 5)
        for name in Set(asked) { #expect(names.contains(name), "\(file) asks for \(name)") }
      }
      let board = try JSONValue(
        parsing: String(contentsOfFile: Products.source("etc/waybill-fleet-grafana.json"), encoding: .utf8))
      #expect(board.panels.array.count > 15)
      #expect(Set(board.panels.array.compactMap(\.id.int)).count == board.panels.array.count)
    }
  }
}
