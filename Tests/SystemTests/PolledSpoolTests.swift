import ChildProcesses
import Foundation
import Testing

@testable import Harness

/// A spool on a file system that says nothing of what others write: FUSE, mounted for real, and written to from behind.
@Suite(
  .slot,
  .needs(.testUsers, .bindfs))
struct PolledSpoolTests {
  @Test func pollingFindsFilesWrittenBehindMount() async throws {
    let users = try await OtherUsers()
    try await withRig(
      starting: false, users: users,
      {
        $0.key = "{id}/{path}/{name}"
        $0.spoolLines = ["scan_interval = \"100ms\"", "recursive = true", "folders = \"remove\""]
      }
    ) { rig in
      let real = rig.folder.appending(path: "behind")
      try FileManager.default.createDirectory(at: real, withIntermediateDirectories: false)
      try await users.openSpool(real)
      try await Command.require([
        // It passes no ACL on, so the files are shown as the daemon's.
        "bindfs", "-o", "allow_other", "--force-user=\(users.daemon.name)", real.path, rig.setup.spool.path,
      ])
      do {
        try await rig.daemon.start()
        let spool = try await rig.daemon.status().spools.array.first
        #expect(spool?.watch == "poll")
        #expect(spool?.readiness.array.contains("renamed") == false)

        let slow = try ChildProcess(
          try await users.dropping(["write", real.appending(path: "slow").path]), input: .written, folder: rig.folder,
          log: "slow")
        try slow.write("one\n")
        var manifest = try Manifest(try await Command.require(try await users.dropping(["nest", real.path, "5"])))
        let burst = try await Command.require(try await users.dropping(["burst", real.path, "200"]))
        try manifest.add(burst)
        slow.closeInput()
        try manifest.add(try await slow.result().output)
        try await manifest.expectRegistered(rig)
        try await until("the directories to go") {
          try FileManager.default.contentsOfDirectory(atPath: real.path) == [".waybill"]
        }
        #expect(try await rig.daemon.stop() == .exit(0))
      } catch {
        _ = try await Command.run(["umount", "--lazy", rig.setup.spool.path])
        throw error
      }
      try await Command.require(["umount", "--lazy", rig.setup.spool.path])
    }
  }

  /// Archive and release on a file system that cannot rename without replacing, where a name is taken.
  @Test func archivesAndReleasesWithoutReplacing() async throws {
    try await withRig(starting: false) { setup in
      let mount = setup.folder.appending(path: "mount")
      setup.spoolFolder = mount.appending(path: "spool")
      setup.makesSpool = false
      setup.spoolLines = ["scan_interval = \"100ms\"", "after = \"archive\"", "archive = \"\(mount.path)/archive\""]
    } _: { rig in
      let files = FileManager.default
      let mount = rig.folder.appending(path: "mount")
      let real = rig.folder.appending(path: "behind")
      for folder in [mount, real, real.appending(path: "spool"), real.appending(path: "archive")] {
        try files.createDirectory(at: folder, withIntermediateDirectories: false)
      }
      try await Command.require(["bindfs", real.path, mount.path])
      do {
        try Data("theirs".utf8).write(to: real.appending(path: "archive/a.pdf"))
        try await rig.daemon.start()
        try rig.drop("a.pdf", behind: real)
        try rig.drop("b.pdf", behind: real)
        try await until("both to be archived, a.pdf under another name") {
          let names = try files.contentsOfDirectory(atPath: real.appending(path: "archive").path)
          return names.contains("b.pdf") && names.contains { $0 == "a.1.pdf" || $0 == "a.2.pdf" }
        }
        #expect(try String(contentsOf: real.appending(path: "archive/a.pdf"), encoding: .utf8) == "theirs")

        try await rig.sandbox.fail(["register": ["status": 422]])
        try rig.drop("c.pdf", behind: real)
        let job = try await rig.daemon.job(named: "c.pdf", in: "awaiting-confirmation").job.int ?? 0
        #expect(try await rig.daemon.waybill("cancel", "\(job)").status == 0)
        let taken = try await rig.daemon.waybill("release", "\(job)", "--to", mount.appending(path: "archive").path)
        #expect(taken.status == 0, "\(taken)")
        #expect(files.fileExists(atPath: real.appending(path: "archive/c.pdf").path))
        try await until("the claimed file to go") { try rig.filesLeft().isEmpty }
        #expect(try await rig.daemon.stop() == .exit(0))
      } catch {
        _ = try await Command.run(["umount", "--lazy", mount.path])
        throw error
      }
      try await Command.require(["umount", "--lazy", mount.path])
    }
  }
}

extension Rig {
  /// Puts a whole file behind the mount.
  fileprivate func drop(_ name: String, behind real: URL) throws {
    let outside = real.appending(path: name + ".new")
    try Data("some bytes\n".utf8).write(to: outside)
    try FileManager.default.moveItem(at: outside, to: real.appending(path: "spool/" + name))
  }
}
