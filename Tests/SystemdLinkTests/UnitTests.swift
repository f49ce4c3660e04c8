import ChildProcesses
import Foundation
import Testing

/// The units as systemd-analyze sees them; no systemd has to run for that.
@Suite(.slot, .needs(.systemdAnalyze, .privateMount)) struct UnitTests {
  private let units = Products.source("systemd")

  @Test func unitsVerifyWithLowExposure() async throws {
    let outcome = try await Command.run([Products.support("units-verify.sh"), units, "15"])
    #expect(outcome.status == 0, "\(outcome.output)\(outcome.errors)")
  }

  @Test func findsUnknownKey() async throws {
    let directory = try TemporaryFolder()
    defer { directory.remove() }
    for unit in [
      "waybill.service", "waybill.socket", "waybill-page.service", "waybill-fleet.service", "waybill-fleet-web.service",
      "waybill-sandbox.service",
    ] {
      try FileManager.default.copyItem(atPath: "\(units)/\(unit)", toPath: directory.file(unit))
    }
    let socket = try String(contentsOfFile: directory.file("waybill.socket"), encoding: .utf8)
    try directory.write("waybill.socket", socket + "\n[Socket]\nSocketMood=0660\n")
    let outcome = try await Command.run([Products.support("units-verify.sh"), directory.path, "15"])
    #expect(outcome.status != 0 && outcome.errors.contains("SocketMood"))
  }
}
