import ChildProcesses
import Foundation
import Testing

@testable import Harness

/// Adding a file as somebody who may not.
@Suite(.slot) struct AddRightsTests {
  @Test(.needs(.otherUser))
  func forbiddenDropNamesRemedy() async throws {
    try await withRig { rig in
      let path = rig.folder.appending(path: "a.pdf").path
      try Data("some bytes\n".utf8).write(to: URL(filePath: path))
      let command = rig.folder.appending(path: "waybill").path
      try await Command.require(["cp", Products.command, command])
      try await Command.require(["chmod", "a+rX", rig.folder.path])
      try await Command.require(["chmod", "0666", rig.setup.socket])
      try await Command.require(["chgrp", "daemon", rig.setup.spool.path])
      try await Command.require(["chmod", "0775", rig.setup.spool.path])
      let add = try await Command.run(
        ["setpriv", "--reuid", "65534", "--regid", "65534", "--clear-groups", command, "add", path],
        environment: ["WAYBILL_SOCKET": rig.setup.socket])
      #expect(add.status == 77 && add.errors.contains("join its group, or use sudo"), "\(add)")
      #expect(try FileManager.default.contentsOfDirectory(atPath: rig.setup.spool.path) == [".waybill"])
    }
  }

  /// Somebody of the spool's group, who may not use the control socket.
  private func asDropper(_ rig: Rig, _ words: String...) async throws -> Command {
    let command = rig.folder.appending(path: "waybill").path
    try await Command.require(["cp", Products.command, command])
    try await Command.require(["chmod", "a+rX", rig.folder.path])
    try await Command.require(["chgrp", "daemon", rig.setup.spool.path])
    try await Command.require(["chmod", "2770", rig.setup.spool.path])
    try await Command.require(["chgrp", "adm", rig.setup.socket])
    try await Command.require(["chmod", "0660", rig.setup.socket])
    return try await Command.run(
      ["setpriv", "--reuid", "65534", "--regid", "65534", "--groups", "1", command] + words,
      environment: ["WAYBILL_SOCKET": rig.setup.socket])
  }

  @Test(.needs(.otherUser)) func dropperAddsWithoutSocket() async throws {
    try await withRig { rig in
      let path = rig.folder.appending(path: "a.pdf").path
      try Data("some bytes\n".utf8).write(to: URL(filePath: path))
      try await Command.require(["chmod", "a+r", path])
      let status = try await asDropper(rig, "status")
      #expect(status.status == 77, "\(status)")
      let spool = rig.setup.spool.path
      let unnamed = try await asDropper(rig, "add", path)
      #expect(unnamed.status == 77 && unnamed.errors.contains("--spool /PATH"), "\(unnamed)")
      let waiting = try await asDropper(rig, "add", path, "--spool", spool, "--wait")
      #expect(waiting.status == 77 && waiting.errors.contains("join its group"), "\(waiting)")
      #expect(try FileManager.default.contentsOfDirectory(atPath: spool) == [".waybill"])
      let add = try await asDropper(rig, "add", path, "--spool", spool)
      #expect(add.status == 0 && add.output == "a.pdf added to \(spool)\n", "\(add)")
      // He need not be told with each file that he may not ask.
      #expect(add.errors == "", "\(add)")
      try await rig.daemon.job(named: "a.pdf", in: "registered")
    }
  }
}
