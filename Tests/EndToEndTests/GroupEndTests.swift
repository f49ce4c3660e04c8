import ChildProcesses
import Foundation
import Testing

@testable import Harness

/// What becomes of a group once it is registered: nothing of it is lost, and nothing is sent twice.
@Suite(.slot)
struct GroupEndTests {
  private static func adjust(_ setup: inout DaemonSetup, archive: Bool = false) throws {
    if archive { try setup.archive() } else { setup.spoolLines = ["scan_interval = \"1s\""] }
    Groups.adjust(&setup)
  }

  private static func archive(_ folder: URL) -> URL { folder.appending(path: "archive") }

  @Test func groupWaitsForMissingArchive() async throws {
    try await withRig({
      try Self.adjust(&$0, archive: true)
      $0.daemonLines = ["history = \"1s\""]
    }) { rig in
      let (archive, away) = (Self.archive(rig.folder), rig.folder.appending(path: "away"))
      try FileManager.default.moveItem(at: archive, to: away)
      try Groups.drop(rig, "run", ["a": Data("a".utf8), "sub/b": Data("b".utf8)])
      try await until("the problem to be told") {
        try await rig.daemon.status().problems.array.contains { problem in
          problem.what.string?.contains("run of job 1, which is registered, is still there") == true
            && problem.remedy.string?.contains("mount it, or make it: install -d") == true
        }
      }
      #expect(try await rig.daemon.job(1).disposed_at.isNull)
      // longer than history, and across a start, for which it must not be a file without a job
      #expect(try await rig.daemon.stop() == .exit(0))
      try FileManager.default.createDirectory(at: archive, withIntermediateDirectories: true)
      try await rig.daemon.start()
      try await until("it to be archived") { rig.filesInSpool().isEmpty }
      #expect(
        try FileManager.default.subpathsOfDirectory(atPath: archive.path + "/run").sorted() == [
          "CopyComplete.txt", "a", "sub", "sub/b",
        ])
      try await until("the problem to be over") { try await rig.daemon.status().problems.array.isEmpty }
      #expect(try rig.sandbox.registrations().count == 1)
    }
  }

  @Test(arguments: [false, true])
  func operatorLinkRegistersGroupOnce(archive: Bool) async throws {
    try await withRig(faults: ["upload": ["statuses": [200, 422]]], { try Self.adjust(&$0, archive: archive) }) { rig in
      try Groups.drop(
        rig, "run", Dictionary(uniqueKeysWithValues: ["a", "b", "c", "sub/d"].map { ($0, Data($0.utf8)) }))
      _ = try await rig.daemon.job(named: "run", in: "awaiting-confirmation")
      #expect(try await rig.daemon.waybill("confirm", "1", "--link", "https://files.example/run").status == 0)
      try await until("the group to be disposed of") { try await rig.daemon.job(1).disposed_at.string != nil }
      #expect(rig.filesInSpool().isEmpty)
      #expect(try await rig.daemon.jobs().count == 1)
      #expect(try rig.sandbox.registrations().map { $0.body.link.string } == ["https://files.example/run"])
      if archive { #expect(FileManager.default.fileExists(atPath: Self.archive(rig.folder).path + "/run/sub/d")) }
    }
  }
}
