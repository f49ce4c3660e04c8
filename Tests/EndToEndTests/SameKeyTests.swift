import ChildProcesses
import Foundation
import Testing

@testable import Harness

/// Files that get the same key, at a storage that ignores `If-None-Match` as Garage does: no object is replaced.
@Suite(.slot)
struct SameKeyTests {
  private static let notOurs = "an object with this key exists and is not from this job"

  @Test(arguments: [false, true]) func secondSameNameFileAsks(inParts: Bool) async throws {
    try await withRig(
      sandbox: ["--ignore-conditions"],
      {
        $0.key = "{spool}/{name}"
        if inParts { $0.storageLines = ["part_size = \"5MiB\""] }
      }
    ) { rig in
      let first = try Bytes.random(inParts ? 6 << 20 : 1000)
      try rig.drop("a.pdf", first)
      let job = try await rig.daemon.job(named: "a.pdf", in: "registered")
      #expect(job.key == "documents/a.pdf")
      try rig.drop("a.pdf", try Bytes.random(inParts ? 7 << 20 : 2000))
      let second = try await rig.daemon.job(named: "a.pdf", in: "awaiting-confirmation", newerThan: 1)
      #expect(second.question.string?.contains(Self.notOurs) == true, "\(second)")
      let sum = try await Bytes.sha256(first)
      #expect(try await rig.sandbox.objects()["documents/a.pdf"]?.sha256.string == sum)
      // The object is not the second job's, so its cancel leaves it alone.
      #expect(try await rig.daemon.waybill("cancel", "2", "--remove").status == 0)
      try await until("nothing to be owed") { try await rig.daemon.job(2).remote == "clean" }
      #expect(try await rig.sandbox.objects()["documents/a.pdf"]?.sha256.string == sum)
      #expect(try await rig.sandbox.state().uploads == [])
    }
  }

  /// Two spools of one daemon, with uploads that are in flight at the same time.
  @Test func concurrentSameNameUploadsStoreOne() async throws {
    try await withRig(
      faults: ["upload": ["hold": true]], sandbox: ["--ignore-conditions"],
      {
        $0.waitForServers()
        $0.key = "{name}"
        let other = $0.folder.appending(path: "other")
        try FileManager.default.createDirectory(at: other, withIntermediateDirectories: true)
        $0.furtherSpools =
          "[[spool]]\nname = \"other\"\npath = \"\(other.path)\"\nkey = \"{name}\"\nsettle = \"50ms\"\n"
      }
    ) { rig in
      try rig.drop("a.pdf", Data("one".utf8))
      try rig.drop("a.pdf", Data("another".utf8), in: "other")
      // Both would be under way.
      try await rig.sandbox.receives("upload")
      try await until("both to be known") { try await rig.daemon.jobs().count == 2 }
      try await rig.sandbox.recover()
      try await until("one to ask and one to be registered") {
        let counts = try await rig.daemon.status().counts
        return counts["awaiting-confirmation"] == 1 && counts["registered"] == 1
      }
      let kept = try #require(try await rig.daemon.jobs().first { $0.state == "registered" })
      #expect(try await rig.sandbox.objects()["a.pdf"]?.size == kept.size)
      #expect(try await rig.sandbox.count("upload") == 1)
    }
  }

  @Test func secondGroupReplacesNothing() async throws {
    try await withRig(
      sandbox: ["--ignore-conditions"],
      {
        $0.key = "{spool}/{name}"
        $0.spoolLines = ["marker = \"done\""]
      }
    ) { rig in
      func drop(_ text: String) throws {
        let outside = rig.folder.appending(path: "run")
        try FileManager.default.createDirectory(at: outside, withIntermediateDirectories: true)
        for name in ["a", "b", "done"] { try Data((text + name).utf8).write(to: outside.appending(path: name)) }
        try FileManager.default.moveItem(at: outside, to: rig.setup.spool.appending(path: "run"))
      }
      try drop("first")
      try await rig.daemon.job(named: "run", in: "registered")
      let before = try await rig.sandbox.objects().compactMapValues(\.sha256.string)
      #expect(before.keys.sorted() == ["documents/run/a", "documents/run/b"])
      try drop("second")
      let job = try await rig.daemon.job(named: "run", in: "awaiting-confirmation", newerThan: 1)
      #expect(job.question.string?.contains(Self.notOurs) == true, "\(job)")
      #expect(try await rig.sandbox.objects().compactMapValues(\.sha256.string) == before)
    }
  }
}
