import ChildProcesses
import Foundation
import Glibc
import Testing

@testable import Harness

/// What happens to the spool's directory, and to the kernel's queue, while the daemon runs as another user than the
/// droppers.
@Suite(.slot, .needs(.testUsers, .mount))
struct LostSpoolTests {
  /// A file where a claim that a crash cut short would have left it.
  private func leaveClaim(_ name: String, in spool: URL) async throws {
    let claim = spool.appending(path: ".waybill/01939f5c-7b1a-7c3d-9e4f-0123456789ab~" + name)
    try Data("claimed\n".utf8).write(to: claim)
    try await Command.require(["chown", OtherUser.daemon.name, claim.path])
  }

  @Test func remountedSpoolResumesWithItsClaims() async throws {
    try await withMemoryDisk(bytes: 1 << 24) { disk in
      let real = try disk.url.madeFolder("spool")
      try await OtherUsers.openSpool(real)
      try await withRig(
        starting: false, users: OtherUsers(),
        {
          $0.key = "{id}/{path}/{name}"
          // What is mounted and unmounted is heard of.
          $0.constants["longest_look"] = "\"1h\""
          $0.spoolLines = ["scan_interval = \"1h\""]
        }
      ) { rig in
        let spool = rig.setup.spool.path
        // Nothing is to be claimed on the file system below.
        try await Command.require(["chown", "root", spool])
        try await Command.require(["chmod", "0700", spool])
        try await Command.require(["mount", "--bind", real.path, spool])
        defer { detach(rig.setup.spool) }
        try await rig.daemon.start()
        try await Command.require(try await OtherUsers.dropping(["burst", spool, "1"]))
        try await rig.daemon.job(named: "f0", in: "registered")

        try await Command.require(["umount", "--lazy", spool])
        try await until("the loss to be told") { try rig.daemon.errorText.contains("unmounted") }
        try await leaveClaim("crashed", in: real)
        try await Command.require(OtherUser.dropper.words(["sh", "-c", "echo b > \"$1\"/b", "_", real.path]))
        try await Command.require(["mount", "--bind", real.path, spool])

        try await rig.daemon.job(named: "b", in: "registered")
        try await rig.daemon.job(named: "crashed", in: "registered")
        #expect(try await rig.daemon.count("registered") == 3)
        #expect(
          try rig.sandbox.registrations().map(\.body.name.string).compactMap { $0 }.sorted() == [
            "b", "crashed", "f0",
          ])
        let crashed = try #require(try rig.sandbox.registrations().map(\.body).first { $0.name == "crashed" })
        #expect(crashed.id == "01939f5c-7b1a-7c3d-9e4f-0123456789ab")
        #expect(try rig.daemon.told("was removed, replaced or unmounted") == 1)
        #expect(try await rig.daemon.stop() == .exit(0))
      }
    }
  }

  @Test func recreatedSpoolIsWatchedAgain() async throws {
    try await withRig(
      users: OtherUsers(),
      {
        $0.key = "{id}/{path}/{name}"
        // Not before all of the directory is gone.
        $0.spoolLines = ["scan_interval = \"1s\""]
      }
    ) { rig in
      let spool = rig.setup.spool
      var manifest = try Manifest(try await Command.require(try await OtherUsers.dropping(["burst", spool.path, "3"])))
      try await manifest.expectRegistered(rig)
      for round in 1...2 {
        try FileManager.default.removeItem(at: spool)
        try await until("the loss to be told") {
          try rig.daemon.told("was removed, replaced or unmounted") == round
        }
        try FileManager.default.createDirectory(at: spool, withIntermediateDirectories: false)
        // A directory that is not right yet is waited for.
        try await OtherUsers.openSpool(spool)
        let again = try await Command.run(
          try await OtherUsers.dropping(["write", spool.path + "/again\(round)"]), input: Data("round \(round)\n".utf8))
        try manifest.add(again.output)
        try await manifest.expectRegistered(rig)
      }
    }
  }

  /// More happens than the kernel's queue of events holds, and all is found by the scan.
  @Test func overflowLosesNoFile() async throws {
    try await withRig(users: OtherUsers(), { $0.key = "{id}/{path}/{name}" }) { rig in
      let output = try await whileDeaf(rig) {
        try await Command.require(try await OtherUsers.dropping(["burst", rig.setup.spool.path, "\(Self.burst)"]))
      }
      try await (try Manifest(output)).expectRegistered(rig, within: max(patience, .milliseconds(50 * Self.burst)))
      #expect(try rig.daemon.errorText.contains("queue of events"))
      try await until("the disposal of all files") { try rig.filesLeft().isEmpty }
    }
  }

  /// The same with directories, whose making goes unheard too.
  @Test func overflowLosesNoDirectory() async throws {
    try await withRig(
      users: OtherUsers(),
      {
        $0.key = "{id}/{path}/{name}"
        $0.spoolLines = ["recursive = true"]
      }
    ) { rig in
      let output = try await whileDeaf(rig) {
        try await Command.require(try await OtherUsers.dropping(["trees", rig.setup.spool.path, "10", "10"]))
      }
      try await (try Manifest(output)).expectRegistered(rig)
      #expect(try rig.daemon.errorText.contains("queue of events"))
      try await until("the files to go") { rig.filesInSpool() == [] }
    }
  }

  /// Runs a body while the daemon stands still and the kernel's queue for it is full, as when more happens than it can read.
  private func whileDeaf(_ rig: Rig, _ body: () async throws -> String) async throws -> String {
    let length = try String(contentsOfFile: "/proc/sys/fs/inotify/max_queued_events", encoding: .utf8)
    let child = try rig.daemon.child()
    child.signal(SIGSTOP)
    defer { child.signal(SIGCONT) }
    let count = (Int(length.trimmingCharacters(in: .whitespacesAndNewlines)) ?? 16_384) / 2 + 1
    try await Command.require(try await OtherUsers.dropping(["noise", rig.setup.spool.path, "\(count)"]))
    return try await body()
  }

  /// How many files: WAYBILL_TEST_BURST, for those who have the time.
  private static let burst = ProcessInfo.processInfo.environment["WAYBILL_TEST_BURST"].flatMap { Int($0) } ?? 1500
}
