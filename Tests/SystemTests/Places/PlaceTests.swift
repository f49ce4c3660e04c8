import ChildProcesses
import Foundation
import Testing

@testable import Harness

/// All that is promised holds where Waybill runs: each place is started once, and does everything.
@Suite(.slot, .bounded, .needs(.tokenServer, .nginx))
struct PlaceTests {
  /// The number of scenarios that run at once.
  private static let most = 8

  /// The table of scenarios and places: all that an operator relies on is tried in the unit, and as root in a bare process too. A cell
  /// that is not tried says why.
  @Test func processAndUnitRunEachScenario() async {
    let mayMount = await Capability.mount.isThere
    let mayBecomeOthers = await Capability.testUsers.isThere
    for scenario in PlaceScenario.allCases {
      for kind in PlaceKind.allCases {
        guard let reason = await scenario.whyNot(in: kind) else { continue }
        print("\(scenario) is not tried in \(kind): \(reason)")
        #expect(kind != .unit && (kind != .process || !mayMount || !mayBecomeOthers), "\(scenario): \(reason)")
      }
    }
  }

  @Test func processDoesAll() async throws {
    try await withServers { far, folder in try await visitBare(.process, far, folder) }
  }

  @Test(.needs(.testUsers)) func otherUsersProcessDoesAll() async throws {
    try await withServers { far, folder in try await visitBare(.otherUser, far, folder) }
  }

  private func visitBare(_ kind: PlaceKind, _ far: PlaceServers, _ folder: TemporaryFolder) async throws {
    let place = try await BarePlace(kind, in: try folder.folder("p"), far)
    do {
      try await visit(place, far)
    } catch {
      Issue.record("\(error)")
    }
    await place.remove()
  }

  @Test(.needs(.systemd, .debhelper)) func packageDoesAllUnderSystemd() async throws {
    try await visitPackage(.unit, tree: SystemdMachine.tree)
  }

  @Test(.needs(.systemd, .debhelper, .debian13))
  func packageDoesAllOnDebian13() async throws {
    try await visitPackage(.newerUnit, tree: Debian13.tree)
  }

  private func visitPackage(_ kind: PlaceKind, tree: String?) async throws {
    try await withServers { far, _ in
      try await withBareMachine(tree: tree) { machine in
        let place = try await PackagePlace(kind, machine, far)
        try await visit(place, far) {
          try await expectNoArchiveThatGoesWithTheService(place)
          #expect(try await machine.property("NRestarts", of: "waybill.service") == "0")
        }
      }
    }
  }

  @Test(.needs(.container, .umoci)) func imageDoesAllInContainer() async throws {
    try await withServers { far, folder in
      let place = try await ContainerPlace(in: folder.url)
      do {
        try await visit(place, far)
      } catch {
        Issue.record("\(error)\n\(place.lastLines)")
      }
      await place.remove()
    }
  }

  private func withServers(_ body: (PlaceServers, TemporaryFolder) async throws -> Void) async throws {
    let folder = try TemporaryFolder()
    let far = try await PlaceServers(in: folder.url)
    defer { far.cut() }
    try await body(far, folder)
    folder.remove()
  }

  /// Runs all scenarios: those that can beside one another, and then each of the others. What one does not do keeps no other from being
  /// tried. `more` is for the time between.
  private func visit(
    _ place: any Place, _ far: PlaceServers, _ more: () async throws -> Void = {}
  ) async throws {
    try await PlaceScenario.prepare(place, far)
    try await place.start()
    let configuration = "\(place.settings)/waybill.toml"
    let check = try await place.operate(["waybill", "check", "--no-keys", "--config", configuration])
    #expect(!check.output.contains("!"), "\(check)")
    let visits = await PlaceScenario.all(in: place.kind).map { PlaceVisit(place: place, far: far, scenario: $0) }
    await withTaskGroup(of: Void.self) { group in
      var rest = visits.filter { !$0.scenario.isAlone }[...]
      for visit in rest.prefix(Self.most) { group.addTask { await run(visit) } }
      rest = rest.dropFirst(Self.most)
      while await group.next() != nil {
        if let visit = rest.popFirst() { group.addTask { await run(visit) } }
      }
    }
    #expect(try await place.status().problems == [])
    try await more()
    for visit in visits where visit.scenario.isAlone { await run(visit) }
    #expect(try await place.status().problems == [])
    // No start and no scan has sent again what stays where it is.
    let again = try far.sandbox.registrations().count { $0.body.name.string == PlaceScenario.staying.name }
    #expect(again == PlaceScenario.staying.registrations)
  }

  private func run(_ visit: PlaceVisit) async {
    do {
      try await visit.scenario.run(visit)
    } catch {
      let status = try? await visit.place.operate(["waybill", "status"])
      Issue.record(
        "\(visit.scenario) in \(visit.place.kind): \(error)\n\(status.map { $0.output + $0.errors } ?? "no status")")
    }
  }

  /// The unit's `/tmp` is another one than everybody else's.
  private func expectNoArchiveThatGoesWithTheService(_ place: PackagePlace) async throws {
    let spool = "\(place.spools)/lost"
    try await place.openSpool(spool)
    let file = "\(place.settings)/waybill.d/lost.toml"
    try await place.install(
      file,
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
    try await place.drop("echo kept > .kept; mv .kept kept.pdf", in: spool, as: .usual)
    try await until("the registered file is said to be still there") {
      try await place.status().problems.array.map { $0.what.string ?? "" }
        .contains { $0.contains("kept.pdf") && $0.contains("PrivateTmp=") }
    }
    // With an archive that stays, the file goes there.
    let archive = "\(place.spools)/found"
    try await place.openSpool(archive)
    try await place.install(file, try place.read(file).replacing("\"/tmp\"", with: "\"\(archive)\""))
    let again = try await place.operate(["waybill", "reload"])
    #expect(again.status == 0, "\(again)")
    try await until("the problem to be over") { try await place.status().problems == [] }
    #expect(try place.files(below: archive) == ["kept.pdf"])
  }
}
