import ChildProcesses
import Foundation
import Testing

@testable import Harness

/// Files that stay where they are (`after = "keep"`): each is sent once, and nothing is done to it.
@Suite(.slot)
struct KeepTests {
  private func withKept(
    faults: JSONValue? = nil, environment: [String: String] = [:], _ body: (Rig) async throws -> Void
  ) async throws {
    try await withRig(
      faults: faults, environment: environment,
      {
        $0.spoolLines = ["after = \"keep\"", "scan_interval = \"300ms\""]
        $0.settleOpen = "200ms"
      }, body)
  }

  private func path(_ name: String, _ rig: Rig) -> String { rig.setup.spool.appending(path: name).path }

  private func untilKept(_ count: Int, _ rig: Rig, line: Int = #line) async throws {
    try await rig.daemon.nextScan(line: line)
    try await until("\(count) kept files", line: line) {
      try await rig.daemon.status().spools.array.first?.waiting == ["kept": .number(Double(count))]
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
      #expect(try await rig.daemon.stop() == .exit(0))
      try await rig.daemon.start()
      try await untilKept(1, rig)
      #expect(try await rig.daemon.jobs().map(\.state.string) == ["registered", "skipped", "skipped"])
      // The spool is no queue: nothing waits in it.
      #expect(try await rig.daemon.waybill("status").status == 0)
      let file = try await rig.explained(path("b.jpg", rig), as: "kept")
      #expect(file.detail.contains("stays where it is"), "\(file)")
      #expect(try await rig.sandbox.count("upload") == 1 && rig.sandbox.registrations().count == 1)
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

  /// A medium may never come back: after seven days a person is asked, and not before.
  @Test func asksAfterSevenDays() async throws {
    let folder = try TemporaryFolder()
    let clock = try await WallClock(in: folder.url)
    try await withKept(environment: clock.variables) { rig in
      #expect(try await rig.daemon.waybill("pause", "--spool", "documents").status == 0)
      try rig.drop("a.jpg")
      try await rig.daemon.job(named: "a.jpg", in: "queued")
      let away = rig.folder.appending(path: "away")
      try FileManager.default.moveItem(at: rig.setup.spool, to: away)
      try await until("it to be lost") { try await !rig.daemon.problems().isEmpty }
      #expect(try await rig.daemon.waybill("resume", "--spool", "documents").status == 0)
      try await rig.daemon.job(named: "a.jpg", in: "deferred")

      try clock.set(hours: 7 * 24 - 1)
      let before = try await delays(rig)
      #expect(try await rig.daemon.waybill("retry", "1").status == 0)
      try await until("it to be put off again") { try await delays(rig) > before }

      try clock.set(hours: 7 * 24 + 1)
      #expect(try await rig.daemon.waybill("retry", "1").status == 0)
      let asking = try await rig.daemon.job(named: "a.jpg", in: "awaiting-confirmation")
      #expect(asking.error.code == "in-place-away")
      #expect(asking.error.message.string == "a.jpg is on a medium that is not there now", "\(asking)")

      // The answer counts once it is there again.
      try clock.set(hours: 0)
      try FileManager.default.moveItem(at: away, to: rig.setup.spool)
      try await until("it to be back") { try await rig.daemon.problems().isEmpty }
      #expect(try await rig.daemon.waybill("confirm", "1").status == 0)
      try await rig.daemon.job(named: "a.jpg", in: "registered")
      #expect(try rig.sandbox.registrations().count == 1)
    }
  }

  private func delays(_ rig: Rig) async throws -> Int {
    try await rig.daemon.job(1).history.array.count { $0.event == "deferred" }
  }
}
