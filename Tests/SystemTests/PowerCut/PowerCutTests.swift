import ChildProcesses
import Foundation
import Linux
import Seams
import Testing

@testable import Harness

/// What a power cut leaves: SIGKILL alone cannot show that something was not synced.
///
/// Each test is the one that fails without some of the syncs: `scripts/without-each-sync` takes each away in turn.
@Suite(
  .slot, .serialized,
  .needs(.loop, .fuse))
struct PowerCutTests {
  private static let refused: JSONValue = ["upload": ["status": 400]]
  private static let asking = "awaiting-confirmation"
  /// A path with so many directories that they are not synced one by one.
  private static let deep = (1...40).map { "d\($0)" }.joined(separator: "/") + "/deep.pdf"

  /// Claims in all their forms: flat, with a long name, with a path.
  @Test func claimedFileExistsOnce() async throws {
    try await withPowerRig(faults: Self.refused, { setup, _ in setup.spoolLines.append("recursive = true") }) { power in
      let names = ["flat.pdf", String(repeating: "n", count: 240) + ".pdf", "a/b/path.pdf", Self.deep]
      // before it runs, so that it alone syncs what it does
      for (index, name) in names.enumerated() {
        try await power.drop(name, String(repeating: "x", count: 10 + index))
      }
      try await power.daemon.start()
      try await power.wait(for: names.count, Self.asking)
      try await power.expectAllSurvive()
    }
  }

  /// A document and its sidecar: one without the other is a loss.
  @Test func documentKeepsItsSidecar() async throws {
    let lines = ["sidecar = \"{name}.json\"", "sidecar_wait = \"1h\""]
    try await withPowerRig(faults: Self.refused, { setup, _ in setup.spoolLines += lines }) { power in
      try await power.drop("a.pdf.json", "{\"a\": 1}")
      try await power.drop("a.pdf", "document")
      try await power.daemon.start()
      try await power.wait(for: 1, Self.asking)
      let before = try await power.daemon.jobs()
      try await power.cut()
      let id = before.first?.id.string ?? ""
      let place = power.spool.appending(path: ".waybill/sidecars/{name}.json/\(id)~a.pdf")
      #expect(FileManager.default.fileExists(atPath: place.path))
      try await power.expectAll(before)
    }
  }

  @Test func manyDirectoriesAreSyncedAtOnce() async throws {
    try await withPowerRig(
      spoolIsForgetful: false, faults: Self.refused, { setup, _ in setup.spoolLines.append("recursive = true") }
    ) { power in
      try await power.drop(Self.deep, "some bytes")
      try await power.daemon.start()
      try await power.wait(for: 1, Self.asking)
      try await power.expectAllSurvive()
    }
  }

  @Test func addedFileKeepsItsID() async throws {
    try await withPowerRig(faults: Self.refused) { power in
      try await power.daemon.start()
      for index in 1...3 {
        let file = power.rig.folder.appending(path: "\(index).pdf")
        try Data(repeating: 1, count: 100 + index).write(to: file)
        let added = try await power.daemon.waybill("add", file.path)
        #expect(added.status == 0, "\(added)")
        try await power.wait(for: index, Self.asking)
      }
      try await power.expectAllSurvive()
    }
  }

  @Test func unclaimedAddedFileSurvives() async throws {
    try await withPowerRig { power in
      try await power.daemon.start()
      #expect(try await power.daemon.waybill("pause", "--intake").status == 0)
      let file = power.rig.folder.appending(path: "a.pdf")
      try Data(repeating: 1, count: 10_000).write(to: file)
      #expect(try await power.daemon.waybill("add", file.path).status == 0)
      try await power.cut()
      try await power.daemon.start()
      #expect(try await power.daemon.waybill("resume", "--intake").status == 0, "the pause was durable")
      try await power.wait(for: 1, "registered")
      #expect(try power.sandbox.registrations().map(\.body.size.int) == [10_000])
    }
  }

  /// A file that a crash left in `.waybill` gets the id that it asks for at the next start.
  @Test func fileRenamedAtStartExistsOnce() async throws {
    try await withPowerRig(faults: Self.refused) { power in
      try await power.daemon.start()
      _ = try await power.daemon.stop()
      let claimed = ".waybill/01939f5c-7b1a-7c3d-8e4f-0123456789a1~a.pdf"
      let wanted = MintedID.text(2, at: .now)
      let script = """
        import os, sys
        with open(sys.argv[1], "wb") as file:
            file.write(b"some bytes")
            file.flush()
            os.fsync(file.fileno())
        os.setxattr(sys.argv[1], "user.waybill.id", sys.argv[2].encode())
        """
      let path = power.spool.appending(path: claimed).path
      try await Command.require([try await Products.python.value, "-c", script, path, wanted])
      try await power.spoolDisk.settle()
      try await power.daemon.start()
      try await power.wait(for: 1, Self.asking)
      let before = try await power.daemon.jobs()
      #expect(before.map(\.id.string) == [wanted])
      try await power.cut()
      try await power.expectAll(before)
    }
  }

  @Test func fileChangedAfterUploadExistsOnce() async throws {
    try await withPowerRig(faults: ["register": ["status": 422]]) { power in
      try await power.daemon.start()
      try await power.drop("a.pdf", "first")
      try await power.wait(for: 1, Self.asking)
      let claimed = try #require(try power.rig.filesLeft().first { $0.hasSuffix("~a.pdf") })
      let path = power.spool.appending(path: ".waybill/" + claimed).path
      try await Command.require(["sh", "-c", "printf second >> \"$0\" && sync \"$0\"", path])
      try await power.sandbox.fail(["register": .null, "upload": ["status": 400]])
      #expect(try await power.daemon.waybill("confirm", "1").status == 0)
      try await power.wait(for: 1, "registered")
      try await power.wait(for: 1, Self.asking)
      try await power.expectAllSurvive()
    }
  }

  @Test func removedJobDoesNotReturn() async throws {
    try await withPowerRig({ setup, _ in setup.daemonLines += ["history = \"1s\""] }) { power in
      try await power.daemon.start()
      try await power.drop("a.pdf", "some bytes")
      try await until("the job to come") { try await power.sandbox.count("register") == 1 }
      try await until("the job to leave") { try await power.daemon.jobs().isEmpty }
      try await power.cut()
      try await power.daemon.start()
      for _ in 1...3 { try await power.daemon.nextScan() }
      #expect(try await power.sandbox.count("upload") == 1)
      #expect(try await power.sandbox.count("register") == 1)
      #expect(try power.rig.filesLeft() == [])
    }
  }

  /// On another file system: what was removed from the spool is in the archive.
  @Test func archivedFileSurvives() async throws {
    try await withPowerRig(Self.archived) { power in
      try await power.daemon.start()
      for (index, name) in ["top.pdf", "a/b/path.pdf"].enumerated() {
        try await power.drop(name, "bytes of \(name)")
        try await until("it to be disposed of") { try await power.daemon.job(index + 1).disposed_at.string != nil }
      }
      // makes the removals durable
      try await power.drop("last.pdf", "last")
      try await power.wait(for: 3, "registered")
      try await power.cut()
      for name in ["top.pdf", "a/b/path.pdf"] {
        let archived = power.otherDisk.url.appending(path: "archive/" + name)
        #expect(FileManager.default.contents(atPath: archived.path) == Data("bytes of \(name)".utf8), "\(name)")
      }
    }
  }

  /// The mark of a copy tells that it is there, though the file is still in the spool.
  @Test func unremovedSourceIsArchivedOnce() async throws {
    try await withPowerRig(environment: ["WAYBILL_FAILPOINT": Failpoint.archiveSynced.rawValue], Self.archived) {
      power in
      try await power.daemon.start()
      try await power.drop("a.pdf", "some bytes")
      _ = try await power.daemon.child().end()
      try await power.cut()
      let again = Daemon(power.rig.setup)
      try await again.start()
      try await until("the file to go") { try power.rig.filesLeft() == [] }
      let archive = power.otherDisk.url.appending(path: "archive").path
      #expect(try FileManager.default.contentsOfDirectory(atPath: archive) == ["a.pdf"])
      _ = try await again.stop()
    }
  }

  private static func archived(_ setup: inout DaemonSetup, _ other: URL) throws {
    let archive = try other.madeFolder("archive")
    setup.spoolLines += ["recursive = true", "after = \"archive\"", "archive = \"\(archive.path)\""]
  }

  @Test func releasedFileSurvives() async throws {
    try await withPowerRig(faults: Self.refused) { power in
      let target = try power.otherDisk.url.madeFolder("back")
      try await power.otherDisk.settle()
      try await power.daemon.start()
      try await power.drop("a.pdf", "some bytes")
      try await power.wait(for: 1, Self.asking)
      #expect(try await power.daemon.waybill("cancel", "1").status == 0)
      #expect(try await power.daemon.waybill("release", "1", "--to", target.path).status == 0)
      // makes the removal durable
      try await power.drop("b.pdf", "last")
      try await power.wait(for: 1, Self.asking)
      try await power.cut()
      let back = target.appending(path: "a.pdf").path
      #expect(FileManager.default.contents(atPath: back) == Data("some bytes".utf8))
    }
  }

  /// What a command was told is so, though the power goes as soon as it has ended.
  @Test func answerIsDurable() async throws {
    try await withPowerRig(faults: Self.refused) { power in
      try await power.daemon.start()
      for index in 1...3 {
        try await power.drop("\(index).pdf", "some bytes")
        try await power.wait(for: index, Self.asking)
      }
      #expect(try await power.daemon.waybill("cancel", "2").status == 0)
      try await power.cut()
      try await power.daemon.start()
      let states = try await power.daemon.jobs().map(\.state.string)
      #expect(states == [Self.asking, "cancelled", Self.asking])
    }
  }

  /// A backup is on its disk when the command ends, and so is a ledger that was put back.
  @Test func backupAndRestoreAreDurable() async throws {
    try await withPowerRig(faults: Self.refused) { power in
      func care(_ words: String...) async throws -> Command {
        try await Command.run([Products.daemon, "ledger"] + words + ["--config", power.rig.setup.config.path])
      }
      let backup = power.otherDisk.url.appending(path: "backup").path
      try await power.daemon.start()
      try await power.drop("a.pdf", "some bytes")
      try await power.wait(for: 1, Self.asking)
      #expect(try await care("backup", backup).status == 0)
      try await power.drop("b.pdf", "some bytes")
      try await power.wait(for: 2, Self.asking)
      try await power.cut()
      let restored = try await care("restore", backup)
      #expect(restored.status == 0 && restored.output.contains("jobs: 1"), "\(restored)")
      try await power.cutDisks()
      let ledger = power.rig.setup.state.appending(path: "ledger.sqlite").path
      let count = try await Command.run(["sqlite3", ledger, "SELECT count(*) FROM job"])
      #expect(count.output == "1\n", "\(count)")
      let check = try await care("check")
      #expect(check.status == 0 && check.output.contains("is whole; jobs: 1"), "\(check)")
    }
  }

  /// A configuration that `waybill init` has made is whole when it ends.
  @Test func createdSmallFileIsDurable() async throws {
    try await withPowerRig { power in
      let config = power.otherDisk.url.appending(path: "waybill.toml")
      try createSmallFile(path: config.path, Array("[daemon]\n".utf8), owner: (0, 0), permissions: 0o640)
      try await power.cutDisks()
      #expect(try String(contentsOf: config, encoding: .utf8) == "[daemon]\n")
    }
  }
}
