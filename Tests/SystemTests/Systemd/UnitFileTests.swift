import ChildProcesses
import Foundation
import Testing

@testable import Harness

/// The units as the systemd that runs them sees them.
@Suite(.slot, .needs(.systemd))
struct UnitFileTests {
  private static let units = [
    "waybill.service", "waybill.socket", "waybill@a.service", "waybill@a.socket", "waybill-page.service",
    "waybill-fleet.service", "waybill-fleet-web.service", "waybill-sandbox.service",
  ]

  @Test func unitsAndDropInsVerifyWithLowExposure() async throws {
    try await withMachine { machine in
      try await Self.verify(machine)
      for service in Self.units where service.hasSuffix(".service") {
        let score = try await machine.run(
          "systemd-analyze", "security", "--no-pager", "--threshold=15", service)
        print(Self.lastLine(score))
        #expect(score.status == 0, "\(score)")
      }
      // Drop-ins that are shipped as examples, each by itself and all together.
      let names = try Self.dropIns(for: try await SystemdMachine.installedVersion())
      #expect(names.count >= 2)
      for name in names {
        for unit in ["waybill.service", "waybill@.service"] { try await machine.shippedDropIn(name, for: unit) }
        try await Self.verify(machine)
      }
      let score = try await machine.run(
        "systemd-analyze", "security", "--no-pager", "--threshold=20", "waybill.service")
      print("with all drop-ins:", Self.lastLine(score))
      #expect(score.status == 0, "\(score)")
    }
  }

  /// Those that a systemd of that version knows: a name may begin with the first one that does.
  private static func dropIns(for version: Int) throws -> [String] {
    try FileManager.default.contentsOfDirectory(atPath: Products.source("systemd/drop-ins"))
      .filter { $0.hasSuffix(".conf") }.map { String($0.dropLast(".conf".count)) }.sorted()
      .filter { name in name.split(separator: "-").last.flatMap { Int($0) }.map { $0 <= version } ?? true }
  }

  private static func lastLine(_ command: Command) -> String {
    command.output.split(separator: "\n").last.map(String.init) ?? "nothing"
  }

  private static func verify(_ machine: SystemdMachine) async throws {
    let outcome = try await machine.run(
      ["systemd-analyze", "verify", "--man=no", "--recursive-errors=yes"] + units)
    #expect(outcome.status == 0 && outcome.errors.isEmpty, "\(outcome)")
  }
}
