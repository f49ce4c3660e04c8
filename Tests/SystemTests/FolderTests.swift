import ChildProcesses
import Foundation
import Testing

@testable import Harness

/// Directories below a spool, with a daemon that runs as another user than those who make them.
@Suite(.slot, .needs(.testUsers, .lease))
struct FolderTests {
  @Test(arguments: [true, false]) func claimsFilesInNewDirectoriesOnce(leases: Bool)
    async throws
  {
    let users = try await OtherUsers(capabilities: leases ? ["lease"] : [])
    try await withRig(
      users: users,
      {
        $0.key = "{id}/{path}/{name}"
        $0.spoolLines = ["recursive = true", "folders = \"remove\""]
        // An emptied directory goes after that long, be there one to come in it or not.
        $0.settleUnseen = "10s"
        // Of a file that was begun before its directory was watched a lease alone tells that nobody writes it.
        if !leases { $0.settleOpen = "20s" }
      }
    ) { rig in
      let spool = rig.setup.spool.path
      var manifest = try Manifest(try await Command.require(try await users.dropping(["trees", spool, "10", "20"])))
      try manifest.add(try await Command.require(try await users.dropping(["nest", spool, "200", "40"])))
      try await manifest.expectRegistered(rig)
      try await until("the emptied directories to go") { try rig.filesLeft() == [] }
      try await until("the claimed files to go") {
        try FileManager.default.contentsOfDirectory(atPath: spool + "/.waybill") == ["lock"]
      }
      let text = try rig.daemon.errorText
      #expect(try !leases || rig.daemon.told("WAYBILL_EVENT=spool-problem") == 0, "\(text)")
    }
  }

  /// Where the kernel has no watches left, all is polled, and said so once.
  @Test func pollsDirectoriesBeyondWatchLimit() async throws {
    let limited = [
      "unshare", "--user", "--map-root-user", "sh", "-c",
      "echo 5 > /proc/sys/user/max_inotify_watches && exec \"$@\"", "sh",
    ]
    try await withRig(
      prefix: limited,
      {
        $0.key = "{id}/{path}/{name}"
        $0.spoolLines = ["recursive = true", "folders = \"remove\"", "scan_interval = \"100ms\""]
        $0.settleUnseen = "10s"
      }
    ) { rig in
      let nest = [try await Products.python.value, Products.support("dropper.py"), "nest", rig.setup.spool.path, "20"]
      try await (try Manifest(try await Command.require(nest))).expectRegistered(rig)
      #expect(try rig.daemon.told("fs.inotify.max_user_watches") == 1)
      #expect(try rig.daemon.told("it is polled every") == 1)
      try await until("the emptied directories to go") { try rig.filesLeft() == [] }
      try await until("all to be watched again") {
        try await rig.daemon.status().spools.array.first?.watch == "inotify"
      }
    }
  }
}
