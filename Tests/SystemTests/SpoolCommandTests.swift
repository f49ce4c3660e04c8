import ChildProcesses
import Foundation
import Testing

@testable import Harness

/// `waybill spool list`, `rename` and `remove`, which run as root.
@Suite(.slot, .needs(.otherUser)) struct SpoolCommandTests {
  @Test func changesOnlyUnusedSpools() async throws {
    try await withRig(faults: ["register": ["status": 422]]) { rig in
      let config = rig.setup.config.path
      let folder = config.replacing(/\.toml$/, with: ".d")
      let path = rig.folder.appending(path: "scans").path
      try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: false)
      func spool(_ words: String...) async throws -> Command {
        try await rig.daemon.waybill(["spool"] + words + ["--config", config])
      }
      func listed(_ name: String) async throws -> [Substring]? {
        try await spool("list").output.split(separator: "\n").map { $0.split(separator: " ") }.first {
          $0.first.map(String.init) == name
        }
      }
      let add = try await spool("add", path, "--yes", "--set", "settle_unseen=200ms")
      #expect(add.status == 0, "\(add)")
      let early = try await spool("rename", "scans", "papers")
      #expect(early.status == 1 && early.errors.contains("the daemon has no spool scans"), "\(early)")
      #expect(try await rig.daemon.waybill("reload").status == 0)
      #expect(try await listed("scans")?.dropFirst(2).prefix(2) == ["main", "main"])

      try rig.drop("a.pdf", in: "scans")
      try await rig.daemon.job(named: "a.pdf", in: "awaiting-confirmation")
      #expect(try await listed("scans")?.suffix(2) == ["1", "0"])
      for words in [["rename", "scans", "papers"], ["remove", "scans"]] {
        let refused = try await rig.daemon.waybill(["spool"] + words + ["--config", config])
        #expect(refused.status == 1 && refused.errors.contains("1 job of scans is not done"), "\(refused)")
      }
      try await rig.sandbox.recover()
      #expect(try await rig.daemon.waybill("confirm", "1").status == 0)
      try await until("the file to be removed") { try await !rig.daemon.job(1).disposed_at.isNull }

      let invalid = try await spool("rename", "scans", "my/papers")
      #expect(invalid.status == 78 && invalid.errors.contains("is not a valid spool name"), "\(invalid)")
      // left by a rename that was killed
      try Data().write(to: URL(filePath: folder + "/.papers.toml"))
      let renamed = try await spool("rename", "scans", "papers")
      #expect(renamed.status == 0, "\(renamed)")
      #expect(try FileManager.default.contentsOfDirectory(atPath: folder) == ["papers.toml"])
      try rig.drop("b.pdf", in: "scans")
      #expect(try await rig.daemon.job(named: "b.pdf", in: "registered").spool == "papers")
      try await until("the file to be removed") { try await !rig.daemon.job(2).disposed_at.isNull }
      let own = try await spool("rename", "documents", "other")
      #expect(own.status == 1 && own.errors.contains("change it in \(config), line "), "\(own)")

      #expect(try await rig.daemon.waybill("pause", "--intake").status == 0)
      try rig.drop("c.pdf", in: "scans")
      let full = try await spool("remove", "papers")
      #expect(full.status == 1 && full.errors.contains("1 file is in \(path)"), "\(full)")
      try FileManager.default.removeItem(atPath: path + "/c.pdf")
      try FileManager.default.createDirectory(atPath: path + "/folder", withIntermediateDirectories: false)
      let removed = try await spool("remove", "papers")
      #expect(removed.status == 0 && removed.output.hasSuffix("by hand:\n  \(path)\n"), "\(removed)")
      #expect(try await listed("papers") == nil)
      #expect(try FileManager.default.contentsOfDirectory(atPath: folder) == [])
    }
  }
}
