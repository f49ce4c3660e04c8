import ChildProcesses
import Foundation
import Testing

@testable import Harness

/// Adding a file as somebody who may not.
@Suite(.slot) struct AddRightsTests {
  @Test(.needs(.otherUser))
  func forbiddenDropNamesRequiredGroup() async throws {
    try await withRig { rig in
      let path = rig.folder.appending(path: "a.pdf").path
      try Data("some bytes\n".utf8).write(to: URL(filePath: path))
      let command = rig.folder.appending(path: "waybill").path
      try await Command.require(["cp", Products.command, command])
      try await Command.require(["chmod", "a+rX", rig.folder.path])
      try await Command.require(["chmod", "0666", rig.setup.socket])
      try await Command.require(["chgrp", "daemon", rig.setup.spool.path])
      for (mode, words) in [("0775", "join the group daemon, or use sudo"), ("0755", "only root may: use sudo")] {
        try await Command.require(["chmod", mode, rig.setup.spool.path])
        let add = try await Command.run(
          ["setpriv", "--reuid", "65534", "--regid", "65534", "--clear-groups", command, "add", path],
          environment: ["WAYBILL_SOCKET": rig.setup.socket])
        #expect(add.status == 77 && add.errors.contains(words), "\(add)")
      }
      #expect(try FileManager.default.contentsOfDirectory(atPath: rig.setup.spool.path) == [".waybill"])
    }
  }
}
