import ChildProcesses
import Foundation
import Testing

@testable import Harness

@Suite(.slot)
struct FolderTests {
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
        $0.spoolLines = ["recursive = true", "scan_interval = \"100ms\""]
        $0.settleUnseen = "10s"
      }
    ) { rig in
      let nest = [try await Products.python.value, Products.support("dropper.py"), "nest", rig.setup.spool.path, "20"]
      try await (try Manifest(try await Command.require(nest))).expectRegistered(rig)
      #expect(try rig.daemon.told("fs.inotify.max_user_watches") == 1)
      #expect(try rig.daemon.told("it is polled every") == 1)
      try await until("the files to go") { rig.filesInSpool() == [] }
      for name in try rig.filesLeft() { try FileManager.default.removeItem(at: rig.setup.spool.appending(path: name)) }
      try await until("all to be watched again") {
        try await rig.daemon.status().spools.array.first?.watch == "inotify"
      }
    }
  }
}
