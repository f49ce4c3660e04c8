import ChildProcesses
import Foundation
import Testing

@testable import Harness

/// What is promised holds where Waybill runs: each place is started once, and does everything.
@Suite(.slot, .bounded, .needs(.tokenServer, .nginx))
struct PlaceTests {
  /// Runs all scenarios; what one does not do keeps no other from being tried.
  private func visit(_ place: any Place, _ far: PlaceFarSides) async throws {
    try await PlaceScenario.prepare(place, far)
    try await place.start()
    let check = try await place.operate(["waybill", "check", "--no-keys"])
    #expect(!check.output.contains("!"), "\(check)")
    for scenario in PlaceScenario.allCases {
      do {
        try await scenario.run(PlaceVisit(place: place, far: far, scenario: scenario))
      } catch {
        let status = try await place.operate(["waybill", "status"])
        Issue.record("\(scenario): \(error)\n\(status.output)\(status.errors)")
      }
    }
    #expect(try await place.status().problems == [])
  }

  private func withFarSides(_ body: (PlaceFarSides, TemporaryFolder) async throws -> Void) async throws {
    let folder = try TemporaryFolder()
    let far = try await PlaceFarSides(in: folder.url)
    defer { far.cut() }
    try await body(far, folder)
    folder.remove()
  }

  @Test(.needs(.systemd, .debhelper)) func thePackageDoesAllUnderSystemd() async throws {
    try await withFarSides { far, _ in
      try await withBareMachine { machine in
        let place = try await PackagePlace(machine, far)
        try await visit(place, far)
        try await expectNoArchiveThatGoesWithTheService(place)
        #expect(try await machine.property("NRestarts", of: "waybill.service") == "0")
      }
    }
  }

  /// The unit's `/tmp` is another one than everybody else's.
  private func expectNoArchiveThatGoesWithTheService(_ place: PackagePlace) async throws {
    let spool = "\(place.spools)/lost"
    try await place.openSpool(spool)
    try place.install(
      "\(place.settings)/waybill.d/lost.toml",
      """
      [[spool]]
      path = "\(spool)"
      storage = "main"
      backend = "main"
      after = "archive"
      archive = "/tmp"
      """)
    let reload = try await place.operate(["waybill", "reload"])
    #expect(reload.status == 0 && reload.output.contains("PrivateTmp="), "\(reload)")
    try await place.drop("echo kept > .kept; mv .kept kept.pdf", in: spool)
    try await until("the registered file is said to be still there") {
      try await place.status().problems.array.map { $0.what.string ?? "" }
        .contains { $0.contains("kept.pdf") && $0.contains("PrivateTmp=") }
    }
  }

  @Test(.needs(.container, .umoci)) func theImageDoesAllInAContainer() async throws {
    try await withFarSides { far, folder in
      let place = try await ContainerPlace(in: folder.url)
      do {
        try await visit(place, far)
      } catch {
        Issue.record("\(error)\n\(place.lastWords)")
      }
      await place.remove()
    }
  }
}
