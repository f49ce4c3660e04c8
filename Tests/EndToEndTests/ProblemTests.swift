import ChildProcesses
import Foundation
import Testing

@testable import Harness

/// What keeps the daemon from working is said first, wherever one looks, for as long as it lasts.
@Suite(.slot)
struct ProblemTests {
  /// Whoever edits the configuration and looks at the daemon sees that the edit does not count, before all else.
  @Test func refusedReloadComesFirst() async throws {
    try await withRig { rig in
      try await rig.expectOver()
      let toml = rig.setup.toml
      let key = rig.setup.secretKeyFile
      try FileManager.default.moveItem(at: key, to: rig.folder.appending(path: "away"))
      // No job has needed it since.
      try await rig.expectTold(
        "cannot read \(key.path): No such file", remedy: "put the value into this file", area: "credentials")
      try (toml + "\nnonsense = 1\n").write(to: rig.setup.config, atomically: true, encoding: .utf8)
      #expect(try await rig.daemon.waybill("reload").status == 78)
      try await rig.expectTold(
        "configuration rejected; the old one stays in use: ",
        remedy: "waybill check, then waybill reload", area: "configuration")
      try FileManager.default.moveItem(at: rig.folder.appending(path: "away"), to: key)
      try toml.write(to: rig.setup.config, atomically: true, encoding: .utf8)
      #expect(try await rig.daemon.waybill("reload").status == 0)
      try await rig.expectOver()
    }
  }

  /// A cancel's removal at a storage that has left the configuration waits for it, and is told of until it is done.
  @Test func reportsRemovalAtRemovedStorage() async throws {
    try await withRig(faults: ["register": ["status": 422], "delete": ["status": 500]]) { rig in
      try await rig.drop("asks.pdf", until: "awaiting-confirmation")
      #expect(try await rig.daemon.waybill("cancel", "1", "--remove").status == 0)
      let toml = rig.setup.toml
      try await rig.reload(toml: toml.replacing("[storage.main]", with: "[storage.second]"))
      try await rig.expectTold(
        "objects of cancelled jobs may be at storage.main, which is no longer in the configuration",
        remedy: "put [storage.main] back until they are deleted, then waybill reload", area: "configuration")
      try await rig.sandbox.recover()
      try await rig.reload()
      try await until("the object to be removed") { try await rig.daemon.job(1).remote == "clean" }
      try await rig.expectOver()
    }
  }

  @Test func reportsMissingSpoolUntilBack() async throws {
    let port = Ports.free()
    func answer(_ path: String) async throws -> HTTPAnswer {
      try await HTTPAnswer.call("GET", "http://127.0.0.1:\(port)\(path)")
    }
    try await withRig({ $0.daemonLines = ["metrics = \"127.0.0.1:\(port)\""] }) { rig in
      try await until("it to be ready") { (try? await answer("/readyz").status) == 200 }
      let away = rig.folder.appending(path: "away")
      try FileManager.default.moveItem(at: rig.setup.spool, to: away)
      try await rig.expectTold("was removed, replaced or unmounted", remedy: "make or mount it again", area: "spool")
      try await until("it not to be ready") { try await answer("/readyz").status == 503 }
      #expect(try await answer("/readyz").body.contains("spool documents"))
      #expect(try await answer("/healthz").status == 200, "a new start would not bring the spool back")
      try FileManager.default.moveItem(at: away, to: rig.setup.spool)
      try await rig.expectOver()
      try await until("it to be ready again") { try await answer("/readyz").status == 200 }
    }
  }
}
