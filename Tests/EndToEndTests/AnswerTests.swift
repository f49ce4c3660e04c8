import ChildProcesses
import Foundation
import Testing

@testable import Harness

/// Answers that end a question in other ways than by trying again, and two answers to one question.
@Suite(.slot)
struct AnswerTests {
  private static let refused: JSONValue = ["upload": ["status": 400, "code": "KeyTooLongError"]]

  @Test func releaseRestoresNameWithoutReplacing() async throws {
    try await withRig(faults: Self.refused) { rig in
      let back = try rig.folder.madeFolder("back")
      for name in ["a.pdf", "taken.pdf"] {
        try await rig.drop(name, until: "awaiting-confirmation")
      }
      #expect(try await rig.daemon.waybill("cancel", "1", "2").status == 0)
      try Data("older".utf8).write(to: back.appending(path: "taken.pdf"))
      #expect(try await rig.daemon.waybill("release", "1", "--to", back.path).status == 0)
      #expect(try Data(contentsOf: back.appending(path: "a.pdf")) == Data("some bytes\n".utf8))
      #expect(try await rig.daemon.job(1).state == "discarded")
      let refused = try await rig.daemon.waybill("release", "2", "--to", back.path)
      #expect(refused.status == 1 && refused.errors.contains("taken.pdf"), "\(refused.errors)")
      #expect(try await rig.daemon.job(2).state == "cancelled")
      #expect(try Data(contentsOf: back.appending(path: "taken.pdf")) == Data("older".utf8))
      #expect(try rig.filesLeft().count == 1)
    }
  }

  /// Whoever drops a file chooses its name: beside the ledger, SQLite would take this one for its own.
  @Test func refusesReleaseIntoStateDirectory() async throws {
    try await withRig(faults: Self.refused) { rig in
      let name = "ledger.sqlite-journal"
      try await rig.drop(name, until: "awaiting-confirmation")
      #expect(try await rig.daemon.waybill("cancel", "1").status == 0)
      let link = rig.folder.appending(path: "elsewhere")
      try FileManager.default.createSymbolicLink(at: link, withDestinationURL: rig.setup.state)
      for target in [rig.setup.state.path, link.path, rig.setup.state.path + "/../w.state"] {
        let refused = try await rig.daemon.waybill("release", "1", "--to", target)
        #expect(refused.status == 1, "\(refused)")
        #expect(
          refused.errors.contains("\(target) is the daemon's state directory; name a directory of your own"),
          "\(refused)")
      }
      let spool = try await rig.daemon.waybill("release", "1", "--to", rig.setup.spool.path)
      #expect(spool.status == 1 && spool.errors.contains("waybill retry sends it again"), "\(spool)")
      #expect(try await rig.daemon.job(1).state == "cancelled")
      _ = try await rig.daemon.stop()
      try await rig.daemon.start()
      let back = try rig.folder.madeFolder("back")
      #expect(try await rig.daemon.waybill("release", "1", "--to", back.path).status == 0)
      #expect(FileManager.default.fileExists(atPath: back.appending(path: name).path))
    }
  }
}
