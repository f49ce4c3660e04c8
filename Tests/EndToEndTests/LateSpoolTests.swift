import ChildProcesses
import Foundation
import Glibc
import Testing

@testable import Harness

/// A spool or an archive that cannot be used stops nothing else, and is taken up when it can be.
@Suite(.slot)
struct LateSpoolTests {
  struct Obstacle: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let words: String
    let put: @Sendable (URL) throws -> Void
    let remove: @Sendable (URL) throws -> Void
  }

  private static func move(_ folder: URL, _ from: String, _ to: String) throws {
    try FileManager.default.moveItem(atPath: folder.path + from, toPath: folder.path + to)
  }

  static let obstacles = [
    Obstacle(
      testDescription: "it is missing", words: "there is no directory", put: { try move($0, "", ".away") },
      remove: { try move($0, ".away", "") }),
    Obstacle(
      testDescription: "others may write to its claims", words: "is writable by others",
      put: { #expect(unsafe chmod($0.path + "/.waybill", 0o777) == 0) },
      remove: { #expect(unsafe chmod($0.path + "/.waybill", 0o700) == 0) }),
  ]

  private static func withSecond(_ setup: inout DaemonSetup) throws {
    try FileManager.default.createDirectory(
      at: setup.folder.appending(path: "second"), withIntermediateDirectories: true)
    setup.furtherSpools = setup.second()
  }

  /// A job that was queued before waits, and none is asked about or sent twice.
  @Test(arguments: obstacles) func unusableSpoolDoesNotPreventStart(_ obstacle: Obstacle) async throws {
    try await withRig(Self.withSecond) { rig in
      let second = rig.folder.appending(path: "second")
      #expect(try await rig.daemon.waybill("pause", "--spool", "second").status == 0)
      try rig.drop("early.pdf", in: "second")
      try await rig.daemon.job(named: "early.pdf", in: "queued")
      _ = try await rig.daemon.stop()
      try obstacle.put(second)

      try await rig.daemon.start()
      let told = try await until("it to be told") {
        let told = try await rig.daemon.problems()
        return told.isEmpty ? nil : told
      }
      #expect(told.count == 1 && told[0].hasPrefix("spool second: ") && told[0].contains(obstacle.words), "\(told)")
      try await rig.drop("other.pdf", until: "registered")
      #expect(try await rig.daemon.waybill("resume", "--spool", "second").status == 0)
      try obstacle.remove(second)
      try await rig.daemon.job(named: "early.pdf", in: "registered")
      try rig.drop("late.pdf", in: "second")
      try await rig.daemon.job(named: "late.pdf", in: "registered")
      try await until("nothing to be told") { try await rig.daemon.problems().isEmpty }
      let names = try rig.sandbox.registrations().compactMap(\.body.name.string)
      #expect(names.sorted() == ["early.pdf", "late.pdf", "other.pdf"])
      #expect(try rig.daemon.told(obstacle.words) == 1)
    }
  }

  /// What was stopped in a ledger that is lost stays stopped, also where its spool comes later.
  @Test func lateSpoolKeepsStoppedJobsStopped() async throws {
    try await withRig(Self.withSecond) { rig in
      let second = rig.folder.appending(path: "second")
      let backup = rig.folder.appending(path: "backup").path
      try await care(rig, "backup", backup)
      try await rig.sandbox.fail(["upload": ["status": 400]])
      for name in ["no.pdf", "asked.pdf"] {
        try rig.drop(name, in: "second")
        try await rig.daemon.job(named: name, in: "awaiting-confirmation")
      }
      let no = try #require(try await rig.daemon.newestJob(named: "no.pdf")?.job.int)
      #expect(try await rig.daemon.waybill("cancel", "\(no)").status == 0)
      try await rig.sandbox.recover()
      #expect(try await rig.daemon.waybill("pause", "--spool", "second").status == 0)
      try rig.drop("queued.pdf", in: "second")
      try await rig.daemon.job(named: "queued.pdf", in: "queued")
      _ = try await rig.daemon.stop()
      try await care(rig, "restore", backup)
      try Self.move(second, "", ".away")

      for _ in 1...2 {  // through a restart
        try await rig.daemon.start()
        _ = try await rig.daemon.waybill("resume", "--recovered")
        try await rig.drop("other.pdf", until: "registered")
        _ = try await rig.daemon.stop()
      }
      try await rig.daemon.start()
      try Self.move(second, ".away", "")
      try await rig.daemon.job(named: "no.pdf", in: "cancelled")
      try await rig.daemon.job(named: "asked.pdf", in: "awaiting-confirmation")
      // of what is not known to be stopped a person is asked as a whole
      try await until("the rest to be held") {
        try await rig.daemon.status().pauses.array.contains { $0.destination == "recovered" }
      }
      #expect(try rig.sandbox.registrations().map(\.body.name.string).allSatisfy { $0 == "other.pdf" })
      #expect(try await rig.daemon.waybill("resume", "--recovered").status == 0)
      _ = try await rig.daemon.waybill("resume", "--spool", "second")
      try await rig.daemon.job(named: "queued.pdf", in: "registered")
      try await rig.daemon.job(named: "no.pdf", in: "cancelled")
    }
  }

  private func care(_ rig: Rig, _ words: String...) async throws {
    let done = try await Command.run([Products.daemon, "ledger"] + words + ["--config", rig.setup.config.path])
    #expect(done.status == 0, "\(done)")
  }
}
