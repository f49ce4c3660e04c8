import ChildProcesses
import Foundation
import Testing

@testable import Harness

/// Files of which only the inode changes after their claim: mode, ACL, the number of their names. None of that is a change
/// of their bytes, so each is sent and registered once.
@Suite(.slot)
struct TouchedFileTests {
  /// How a file goes to the storage: what is known of its bytes differs.
  enum Sending: String, CaseIterable, CustomTestStringConvertible {
    case sha256, crc32c, crc64nvme, none, sha256InParts, crc32cInParts, noneInParts

    /// One of three; others with other seeds, all with `WAYBILL_TEST_ALL=1`.
    static let share = Seeds.share(allCases, of: 3)

    var testDescription: String { rawValue }
    var isInParts: Bool { rawValue.hasSuffix("InParts") }

    func set(_ setup: inout DaemonSetup) {
      let checksum = isInParts ? String(rawValue.dropLast("InParts".count)) : rawValue
      setup.storageLines = ["checksum = \"\(checksum)\""]
      if isInParts { setup.storageLines += ["part_size = \"5MiB\""] }
      setup.waitForServers()
    }

    var bytes: Data { Data(repeating: 7, count: isInParts ? 6 << 20 : 100) }
  }

  private static let touch = #"chmod 0604 "$1"; ln "$1" "$2"; rm "$2""#

  private func touch(_ job: JSONValue, _ rig: Rig) async throws {
    let path = try #require(job.path.string)
    try await Command.require(["sh", "-ec", Self.touch, "_", path, rig.folder.path + "/other"])
  }

  private func expectOnce(_ rig: Rig) async throws {
    try await until("the file to be disposed of") {
      let jobs = try await rig.daemon.jobs()
      return !jobs.isEmpty && jobs.allSatisfy { $0.disposed_at.string != nil }
    }
    #expect(try await rig.daemon.jobs().count == 1)
    #expect(try rig.sandbox.registrations().count == 1)
    #expect(try rig.filesLeft() == [])
  }

  @Test(arguments: Sending.share) func touchAfterUploadRegistersOnce(_ sending: Sending)
    async throws
  {
    try await withRig(faults: ["register": ["status": 599]], { sending.set(&$0) }) { rig in
      try rig.drop("a.pdf", sending.bytes)
      try await touch(try await rig.daemon.job(named: "a.pdf", in: "awaiting-confirmation"), rig)
      try await rig.sandbox.recover()
      #expect(try await rig.daemon.waybill("confirm", "1").status == 0)
      try await expectOnce(rig)
    }
  }

  @Test(arguments: Sending.share) func touchDuringUploadSendsOnce(_ sending: Sending) async throws {
    let kind = sending.isInParts ? "part" : "upload"
    try await withRig(faults: .object([kind: ["hold": true, "times": 1]]), { sending.set(&$0) }) { rig in
      try rig.drop("a.pdf", sending.bytes)
      try await until("a request to be held") { try await rig.sandbox.state().in_flight[kind].int == 1 }
      try await touch(try await rig.daemon.job(1), rig)
      try await rig.sandbox.recover()
      try await rig.daemon.job(named: "a.pdf", in: "registered")
      let job = try await rig.daemon.job(1)
      #expect(job.attempts.array.filter { $0.step == "upload" }.count == 1)
      try await expectOnce(rig)
    }
  }

  /// Somebody writes other bytes of the same length and sets the time back: only the ctime tells that something happened, and the
  /// checksum what.
  @Test(arguments: Sending.share) func backdatedChangeBecomesNewJob(_ sending: Sending) async throws {
    try await withRig(faults: ["register": ["status": 599]], { sending.set(&$0) }) { rig in
      try rig.drop("a.pdf", sending.bytes)
      let path = try #require(try await rig.daemon.job(named: "a.pdf", in: "awaiting-confirmation").path.string)
      let script = #"touch -r "$1" "$2"; printf X | dd of="$1" conv=notrunc status=none; touch -r "$2" "$1"; rm "$2""#
      try await Command.require(["sh", "-ec", script, "_", path, rig.folder.path + "/time"])
      try await rig.sandbox.recover()
      #expect(try await rig.daemon.waybill("confirm", "1").status == 0)
      try await until("both to be registered") { try await rig.daemon.count("registered") == 2 }
      try await until("the disposals") { try rig.filesLeft() == [] }
      #expect(try rig.sandbox.registrations().count == 2)
    }
  }

  /// Each name is a file of its own to whoever dropped it; claiming and removing one changes the ctime of the others.
  @Test(arguments: ["delete", "archive"]) func hardLinksBecomeSeparateJobs(after: String) async throws {
    try await withRig({ if after == "archive" { try $0.archive() } }) { rig in
      let script = #"echo bytes > "$1/f"; for n in a b c; do ln "$1/f" "$2/$n"; done"#
      try await Command.require(["sh", "-ec", script, "_", rig.folder.path, rig.setup.spool.path])
      for name in ["a", "b", "c"] { try await rig.daemon.job(named: name, in: "registered") }
      try await rig.untilDisposed()
      #expect(try rig.sandbox.registrations().compactMap(\.body.name.string).sorted() == ["a", "b", "c"])
      #expect(try await rig.daemon.jobs().count == 3)
    }
  }
}
