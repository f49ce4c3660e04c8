import ChildProcesses
import Foundation
import Testing

@testable import Harness

/// When a file counts as finished, with a daemon that runs as another user than the writers.
@Suite(.slot, .needs(.testUsers, .lease))
struct ReadinessTests {
  /// Starts a program that keeps a file open, and appends what it is told to.
  private func writer(_ rig: Rig, _ users: OtherUsers, _ name: String, log: String) async throws -> ChildProcess {
    try ChildProcess(
      try await users.dropping(["write", rig.setup.spool.appending(path: name).path]), input: .written,
      folder: rig.folder, log: log)
  }

  private func write(_ line: String, _ writer: ChildProcess, _ rig: Rig, _ name: String, whole: Int) async throws {
    try writer.write(line + "\n")
    try await until("\(line) to be written") {
      FileManager.default.contents(atPath: rig.setup.spool.appending(path: name).path)?.count == whole
    }
  }

  /// Drops files that take longer to be ready than a file that pauses would have to be still, one after the other.
  private func letTimePass(_ rig: Rig, _ users: OtherUsers, _ names: [String]) async throws {
    for name in names {
      let other = try await writer(rig, users, name, log: name)
      try other.write("other\n")
      other.closeInput()
      try await other.end()
      try await rig.daemon.job(named: name, in: "registered")
    }
  }

  /// Without the right to lease others' files: the closing alone tells.
  @Test func waitsForPausingWriter() async throws {
    let users = try await OtherUsers()
    try await withRig(users: users, { $0.spoolLines = ["scan_interval = \"1s\""] }) { rig in
      let slow = try await writer(rig, users, "slow", log: "slow")
      var size = 0
      for pause in 0..<8 {
        size += 7
        try await write("line \(pause)", slow, rig, "slow", whole: size)
        try await letTimePass(rig, users, ["other\(pause)"])
      }
      // Scans do not overrule what was seen.
      for _ in 0..<2 { try await rig.daemon.nextScan() }
      #expect(try await rig.daemon.jobs().allSatisfy { $0.name != "slow" })
      slow.closeInput()
      let command = try await slow.result()
      try await rig.daemon.job(named: "slow", in: "registered")
      let body = try #require(try rig.sandbox.registrations().map(\.body).last { $0.name == "slow" })
      #expect(body.sha256.string == (try Manifest(command.output)).sums["slow"])
      #expect(try rig.sandbox.registrations().count == 9)
    }
  }

  /// Two writers of one file: the first closes it, and the second goes on. A lease tells.
  @Test func waitsForSecondWriter() async throws {
    let users = try await OtherUsers(capabilities: ["lease"])
    try await withRig(users: users) { rig in
      let status = try await rig.daemon.status()
      #expect(status.spools.array.first?.readiness == ["renamed", "closed", "lease", "still"])
      let first = try await writer(rig, users, "two", log: "first")
      let second = try await writer(rig, users, "two", log: "second")
      try await write("one", first, rig, "two", whole: 4)
      try await write("two", second, rig, "two", whole: 8)
      first.closeInput()
      try await first.end()
      try await letTimePass(rig, users, ["a", "b", "c"])
      #expect(try await rig.daemon.jobs().count == 3)
      try await write("three", second, rig, "two", whole: 14)
      try await letTimePass(rig, users, ["d", "e"])
      #expect(try await rig.daemon.jobs().count == 5)
      second.closeInput()
      try await second.end()
      let job = try await rig.daemon.job(named: "two", in: "registered")
      #expect(job.size == 14)
      #expect(try await rig.daemon.count("registered") == 6)
    }
  }

  @Test func leasesOwnFilesWithoutCapability() async throws {
    try await withRig(users: try await OtherUsers()) { rig in
      let report = try await rig.daemon.waybill("status", "--long")
      let ways =
        "takes files that are moved in or closed by their writer or unchanged for a while, and that no program is writing"
      #expect(report.output.contains(ways), "\(report.output)")
      #expect(report.output.contains("CAP_LEASE is missing"), "\(report.output)")
    }
  }
}
