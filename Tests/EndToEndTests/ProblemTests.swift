import ChildProcesses
import Foundation
import Glibc
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

  /// A job of a spool that was renamed is told of at the reload and at a start, and until it is over.
  @Test(arguments: [false, true]) func renamedSpoolIsToldAtOnce(byRestart: Bool) async throws {
    try await withRig(faults: ["register": ["status": 422]]) { rig in
      func use(_ toml: String) async throws -> String {
        if byRestart { #expect(try await rig.daemon.stop() == .exit(0)) }
        try toml.write(to: rig.setup.config, atomically: true, encoding: .utf8)
        guard byRestart else { return try await rig.daemon.waybill("reload").output }
        try await rig.daemon.start()
        return ""
      }
      try await rig.drop("asks.pdf", until: "awaiting-confirmation")
      let toml = rig.setup.toml
      let renamed = toml.replacing("name = \"documents\"", with: "name = \"papers\"")
      let words = "documents has jobs that need their files (1): set name = \"documents\" for \(rig.setup.spool.path)"
      let answer = try await use(renamed)
      #expect(byRestart || answer.contains("! \(words); then waybill reload\n"), "\(answer)")
      try await rig.expectTold(words, remedy: "then waybill reload", area: "configuration")
      _ = try await use(toml)
      try await until("the problem to be over") { try await rig.daemon.status().problems.array.isEmpty }
      let gone = toml.replacing("name = \"documents\"", with: "name = \"papers\"").replacing(
        rig.setup.spool.path, with: rig.setup.spool.path + "-2")
      try FileManager.default.createDirectory(atPath: rig.setup.spool.path + "-2", withIntermediateDirectories: true)
      _ = try await use(gone)
      try await rig.expectTold(
        "documents has jobs that need their files (1), and no spool has their directory",
        remedy: "put [[spool]] documents back", area: "configuration")
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
    try await withRig { rig in
      let away = rig.folder.appending(path: "away")
      try FileManager.default.moveItem(at: rig.setup.spool, to: away)
      try await rig.expectTold("was removed, replaced or unmounted", remedy: "make or mount it again", area: "spool")
      try FileManager.default.moveItem(at: away, to: rig.setup.spool)
      try await rig.expectOver()
    }
  }
}
