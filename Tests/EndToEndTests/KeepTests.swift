import ChildProcesses
import Foundation
import Glibc
import Testing

@testable import Harness

/// Files that stay where they are (`after = "keep"`): each is sent once, and nothing is done to it.
@Suite(.slot)
struct KeepTests {
  private static let lines = ["after = \"keep\"", "scan_interval = \"300ms\""]

  private func withKept(
    faults: JSONValue? = nil, _ body: (Rig) async throws -> Void
  ) async throws {
    try await withRig(
      faults: faults,
      {
        $0.spoolLines = Self.lines
        $0.settleOpen = "200ms"
      }, body)
  }

  private func path(_ name: String, _ rig: Rig) -> String { rig.setup.spool.appending(path: name).path }

  /// Waits until a whole scan has left this number of files alone, because they were sent.
  private func untilKept(_ count: Int, _ rig: Rig, line: Int = #line) async throws {
    try await rig.daemon.nextScan(line: line)
    try await until("\(count) kept files", line: line) {
      try await rig.daemon.status().spools.array.first?.waiting == ["kept": .number(Double(count))]
    }
  }

  /// The numbers of jobs by state.
  private func states(_ rig: Rig) async throws -> [String: Int] {
    Dictionary(grouping: try await rig.daemon.jobs()) { $0.state.string ?? "" }.mapValues(\.count)
  }

  private func startAgain(_ rig: Rig, _ change: (Rig) throws -> Void = { _ in }) async throws {
    #expect(try await rig.daemon.stop() == .exit(0))
    try change(rig)
    try await rig.daemon.start()
  }

  /// A file that is replaced while its job is at work on it is sent when that is over.
  @Test func replacedFileFollowsItsJob() async throws {
    try await withRig(
      faults: ["register": ["hold": true]],
      {
        $0.spoolLines = ["after = \"keep\"", "scan_interval = \"1s\""]
        $0.settleOpen = "200ms"
      }
    ) { rig in
      try rig.drop("a.jpg", Data("photo".utf8))
      try await rig.sandbox.receives("register")
      let new = rig.folder.appending(path: "new")
      try Data("another photo".utf8).write(to: new)
      try #require(unsafe rename(new.path, path("a.jpg", rig)) == 0)
      try await until("the new file to be known as the job's") {
        _ = try await rig.explained(path("a.jpg", rig), as: "kept")
        return try await rig.daemon.status().spools.array.first?.waiting.settling.isNull == true
      }
      #expect(try await states(rig) == ["active": 1])
      try await rig.sandbox.recover()
      try await until("both to be registered") { try await states(rig) == ["registered": 2] }
      let sizes = try await rig.daemon.jobs().compactMap(\.size.int).sorted()
      #expect(sizes == [5, 13])
    }
  }

  @Test func touchAndRenameSkip() async throws {
    try await withKept { rig in
      try await rig.drop("a.jpg", until: "registered")
      try await untilKept(1, rig)
      try await Command.require(["touch", "-d", "2001-01-01", path("a.jpg", rig)])
      let touched = try await rig.daemon.job(named: "a.jpg", in: "skipped", newerThan: 1)
      #expect(touched.same_as == 1)
      try await untilKept(1, rig)
      try FileManager.default.moveItem(atPath: path("a.jpg", rig), toPath: path("b.jpg", rig))
      let renamed = try await rig.daemon.job(named: "b.jpg", in: "skipped")
      #expect(renamed.same_as == 1)
      try await untilKept(1, rig)
      try await startAgain(rig)
      try await untilKept(1, rig)
      #expect(try await states(rig) == ["registered": 1, "skipped": 2])
      // The spool is no queue: nothing waits in it.
      #expect(try await rig.daemon.waybill("status").status == 0)
      let file = try await rig.explained(path("b.jpg", rig), as: "kept")
      #expect(file.detail.contains("stays where it is"), "\(file)")
      #expect(try await rig.sandbox.count("upload") == 1 && rig.sandbox.registrations().count == 1)
    }
  }

  /// An empty file has no bytes to compare; its name tells.
  @Test func touchedEmptyFileIsSentOnce() async throws {
    try await withKept { rig in
      try rig.drop("a.jpg", Data())
      try await rig.daemon.job(named: "a.jpg", in: "registered")
      try await untilKept(1, rig)
      try await Command.require(["touch", "-d", "2001-01-01", path("a.jpg", rig)])
      try await until("the second job to be over") { try await rig.daemon.job(2).phase == "done" }
      #expect(try await rig.daemon.job(2).state == "skipped")
      #expect(try rig.sandbox.registrations().count == 1)
    }
  }

  @Test func hardLinkIsAnotherJob() async throws {
    try await withKept { rig in
      try await rig.drop("a.jpg", until: "registered")
      try FileManager.default.linkItem(atPath: path("a.jpg", rig), toPath: path("b.jpg", rig))
      try await rig.daemon.job(named: "b.jpg", in: "registered")
      try FileManager.default.copyItem(atPath: path("a.jpg", rig), toPath: path("c.jpg", rig))
      try await rig.daemon.job(named: "c.jpg", in: "registered")
      try await untilKept(3, rig)
      #expect(try rig.sandbox.registrations().count == 3)
    }
  }

  @Test func discardTouchesNothing() async throws {
    try await withKept(faults: ["upload": ["status": 599]]) { rig in
      try rig.drop("a.jpg")
      let job = try await rig.daemon.job(named: "a.jpg", in: "awaiting-confirmation")
      #expect(job.path.string == path("a.jpg", rig))
      try await rig.sandbox.recover()
      #expect(try await rig.daemon.waybill("cancel", "1").status == 0)
      let refused = try await rig.daemon.waybill("release", "1", "--to", rig.folder.path)
      #expect(refused.status != 0 && refused.errors.contains("never moved"), "\(refused)")
      #expect(try await rig.daemon.waybill("discard", "1", "--yes").status == 0)
      try await until("it to count as disposed of") {
        try await rig.daemon.job(named: "a.jpg", in: "discarded").disposed_at.string != nil
      }
      #expect(FileManager.default.fileExists(atPath: path("a.jpg", rig)))
      // It is not sent again as it is, and is if it changes.
      try await untilKept(1, rig)
      try Data("other".utf8).write(to: rig.setup.spool.appending(path: "a.jpg"))
      try await rig.daemon.job(named: "a.jpg", in: "registered", newerThan: 1)
    }
  }

  /// A job that needs no file any more needs no medium.
  @Test func sentFileIsRegisteredWithoutItsDirectory() async throws {
    try await withKept(faults: ["register": ["status": 599]]) { rig in
      try rig.drop("a.jpg")
      try await rig.daemon.job(named: "a.jpg", in: "awaiting-confirmation")
      try FileManager.default.moveItem(at: rig.setup.spool, to: rig.folder.appending(path: "away"))
      try await until("it to be lost") { try await !rig.daemon.problems().isEmpty }
      try await startAgain(rig)
      try await rig.sandbox.recover()
      #expect(try await rig.daemon.waybill("confirm", "1").status == 0)
      try await rig.daemon.job(named: "a.jpg", in: "registered")
    }
  }
}
