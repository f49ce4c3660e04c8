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
    try await withRig(
      starting: false, users: OtherUsers(),
      {
        $0.key = "{id}/{path}/{name}"
        $0.spoolLines = ["scan_interval = \"100ms\"", "recursive = true"]
      }
    ) { rig in
      let real = try rig.folder.madeFolder("behind")
      try await OtherUsers.openSpool(real)
      try await Command.require([
        // It passes no ACL on, so the files are shown as the daemon's.
        "bindfs", "-o", "allow_other", "--force-user=\(OtherUser.daemon.name)", real.path, rig.setup.spool.path,
      ])
      defer { detach(rig.setup.spool) }
      try await rig.daemon.start()
      let spool = try await rig.daemon.status().spools.array.first
      #expect(spool?.watch == "poll")
      #expect(spool?.readiness.array.contains("renamed") == false)

      let slow = try ChildProcess(
        try await OtherUsers.dropping(["write", real.appending(path: "slow").path]), input: .written,
        folder: rig.folder,
        log: "slow")
      try slow.write("one\n")
      var manifest = try Manifest(try await Command.require(try await OtherUsers.dropping(["nest", real.path, "5"])))
      let burst = try await Command.require(try await OtherUsers.dropping(["burst", real.path, "200"]))
      try manifest.add(burst)
      slow.closeInput()
      try manifest.add(try await slow.result().output)
      try await manifest.expectRegistered(rig)
      try await until("the files to go") { rig.filesInSpool() == [] }
      #expect(try await rig.daemon.stop() == .exit(0))
    }
  }
}
