import ChildProcesses
import Foundation
import Testing

@testable import Harness

/// What becomes of a file once its job is registered.
@Suite(.slot)
struct DisposalTests {
  private static func archived(_ setup: inout DaemonSetup) throws {
    let archive = setup.folder.appending(path: "archive")
    try FileManager.default.createDirectory(at: archive, withIntermediateDirectories: true)
    setup.spoolLines = ["after = \"archive\"", "archive = \"\(archive.path)\"", "rescan = \"1s\""]
  }

  private static func contents(_ rig: Rig) throws -> [String: String] {
    let folder = rig.folder.appending(path: "archive")
    let names = try FileManager.default.contentsOfDirectory(atPath: folder.path)
    return try Dictionary(
      uniqueKeysWithValues: names.map {
        ($0, try String(contentsOf: folder.appending(path: $0), encoding: .utf8))
      })
  }

  @Test func filesGoToTheArchiveAndAClashGetsTheNumberOfItsJob() async throws {
    try await withRig(Self.archived) { rig in
      try rig.drop("scan.pdf", Data("one".utf8))
      try await until("the first disposal") { try await rig.daemon.job(1).disposed_at.string != nil }
      try rig.drop("scan.pdf", Data("two".utf8))
      try await until("the second disposal") { try await rig.daemon.job(2).disposed_at.string != nil }
      #expect(try Self.contents(rig) == ["scan.pdf": "one", "scan.2.pdf": "two"])
      #expect(try rig.filesLeft() == [])
      #expect(try await rig.daemon.job(2).path.isNull)
    }
  }

  @Test func anArchiveThatIsNotThereAtTheStartIsToldAndUsedOnceItIsThere() async throws {
    try await withRig(starting: false, Self.archived) { rig in
      let archive = rig.folder.appending(path: "archive")
      try FileManager.default.removeItem(at: archive)
      try await rig.daemon.start()
      let problem = try await until("it to be told") { try await rig.daemon.status().problems.array.first }
      #expect(
        problem.what.string == "spool documents: the archive cannot be used: cannot open \(archive.path): "
          + "No such file or directory (ENOENT)", "\(problem)")
      #expect(problem.remedy.string?.hasPrefix("make it: install -d") == true, "\(problem)")
      try await rig.drop("a.pdf", until: "registered")
      try FileManager.default.createDirectory(at: archive, withIntermediateDirectories: false)
      try await until("the file to be archived") { try Self.contents(rig) == ["a.pdf": "some bytes\n"] }
      try await until("nothing to be told") { try await rig.daemon.status().problems.array.isEmpty }
    }
  }

  /// Told once while it lasts, tried again at each rescan, and at the start that comes after.
  @Test func aDisposalThatFailsIsTriedAgain() async throws {
    try await withRig(journal: true, Self.archived) { rig in
      let archive = rig.folder.appending(path: "archive")
      let away = rig.folder.appending(path: "away")
      try FileManager.default.moveItem(at: archive, to: away)
      for name in ["a.pdf", "b.pdf"] { try await rig.drop(name, until: "registered") }
      let told = try await until("the trouble to be told") { try await Self.toldOfFiles(rig).first }
      #expect(told.contains("a.pdf of job 1, which is registered, is still there"), "\(told)")
      #expect(told.contains("it is tried again every 1"), "\(told)")
      #expect(try rig.filesLeft().count == 2)
      try FileManager.default.moveItem(at: away, to: archive)
      try await until("both in the archive") { try rig.filesLeft() == [] }
      #expect(try Self.contents(rig) == ["a.pdf": "some bytes\n", "b.pdf": "some bytes\n"])
      #expect(try await Self.toldOfFiles(rig).count == 1)

      try FileManager.default.moveItem(at: archive, to: away)
      try await rig.drop("c.pdf", until: "registered")
      try await until("the trouble is told anew") { try await Self.toldOfFiles(rig).count == 2 }
      try await rig.daemon.kill()
      try FileManager.default.moveItem(at: away, to: archive)
      try await rig.daemon.start()
      try await until("the third in the archive") { try rig.filesLeft() == [] }
      #expect(try Self.contents(rig)["c.pdf"] == "some bytes\n")
    }
  }

  /// The entries about files that are still there; those about the archive itself may come before them or after.
  private static func toldOfFiles(_ rig: Rig) async throws -> [String] {
    try await rig.journal?.entries("WAYBILL_EVENT=spool-problem").compactMap(\.MESSAGE.string)
      .filter { $0.contains("is still there") } ?? []
  }

  @Test func whatIsDoneLeavesTheLedgerAndItsNumberIsNotGivenAgain() async throws {
    try await withRig({ $0.daemonLines = ["history = \"1s\""] }) { rig in
      try rig.drop("a.pdf")
      try await until("the job to come") { try await rig.sandbox.count("register") == 1 }
      try await until("the job to leave") { try await rig.daemon.jobs().isEmpty }
      #expect(try await rig.daemon.count("registered") == 0)
      #expect(try await rig.daemon.control("GET", "/v1/jobs/1").status == 404)
      #expect(try await rig.daemon.stop() == .exit(0))
      try await rig.daemon.start()
      try await rig.sandbox.fail(["upload": ["status": 599]])
      #expect(try await rig.drop("b.pdf", until: "awaiting-confirmation").job == 2)
    }
  }

  /// Across file systems a file is copied. A kill in the midst of it leaves no second copy, and a full archive no part.
  @Test(.enabled(if: MemoryDisk.canRun))
  func anArchiveOnAnotherFileSystemGetsEachFileOnce() async throws {
    try await withMemoryDisk(bytes: 48 << 20) { disk in
      try await withRig(journal: true) {
        $0.spoolLines = ["after = \"archive\"", "archive = \"\(disk.url.path)\"", "rescan = \"1s\""]
      } _: { rig in
        func archived() throws -> [String] {
          try FileManager.default.contentsOfDirectory(atPath: disk.url.path).filter { $0 != ".filler" }.sorted()
        }
        let bytes = Data((0..<(16 << 20)).map { UInt8(truncatingIfNeeded: $0 &* 31 &+ $0 >> 11) })
        try rig.drop("large.bin", bytes)
        try await until("the copy to begin", every: .milliseconds(1)) { try !archived().isEmpty }
        try await rig.daemon.kill()
        try await rig.daemon.start()
        try await until("its end") { try rig.filesLeft() == [] }
        #expect(try archived() == ["large.bin"])
        #expect(try Data(contentsOf: disk.url.appending(path: "large.bin")) == bytes)

        try await disk.fill(leaving: 8 << 20)
        try rig.drop("next.bin", bytes)
        let problem = try await rig.journal?.entry("WAYBILL_EVENT=spool-problem")
        #expect(problem?.MESSAGE.string?.contains("next.bin") == true)
        #expect(problem?.MESSAGE.string?.contains("No space left") == true)
        #expect(try await rig.daemon.job(2).state == "registered")
        #expect(try rig.filesLeft().count == 1)
        try disk.empty()
        try await until("the next one's end") { try rig.filesLeft() == [] }
        #expect(try archived() == ["large.bin", "next.bin"])
        #expect(try await rig.journal?.entries("WAYBILL_EVENT=spool-problem").count == 1)
        #expect(try rig.sandbox.registrations().count == 2)
      }
    }
  }
}
