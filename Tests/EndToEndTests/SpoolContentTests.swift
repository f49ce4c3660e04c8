import ChildProcesses
import Foundation
import Testing

@testable import Harness

/// What may lie in a spool that is no file to take, and files that are hardly any.
@Suite(.slot)
struct SpoolContentTests {
  @Test func ignoresLinksPipesAndSockets() async throws {
    try await withRig { rig in
      let spool = rig.setup.spool
      let target = rig.folder.appending(path: "target")
      try Data("not for the spool\n".utf8).write(to: target)
      try FileManager.default.createSymbolicLink(
        at: spool.appending(path: "link.pdf"), withDestinationURL: target)
      try FileManager.default.createSymbolicLink(
        atPath: spool.appending(path: "dangling.pdf").path, withDestinationPath: "nowhere")
      try await Command.require(["mkfifo", spool.appending(path: "pipe.pdf").path])
      try await Command.require(["python3", Products.support("unix-socket.py"), "make", spool.path + "/socket.pdf"])
      try FileManager.default.createDirectory(
        at: spool.appending(path: "folder.pdf"), withIntermediateDirectories: true)
      for name in [".hidden", "half.part", "half.tmp"] { try Data().write(to: spool.appending(path: name)) }
      // A scan sees them all again.
      try await rig.drop("first.pdf", until: "registered")
      #expect(try await rig.daemon.stop() == .exit(0))
      try await rig.daemon.start()
      try await rig.drop("second.pdf", until: "registered")
      #expect(try await rig.daemon.jobs().map(\.name) == ["first.pdf", "second.pdf"])
      let left = [
        ".hidden", "dangling.pdf", "folder.pdf", "half.part", "half.tmp", "link.pdf", "pipe.pdf", "socket.pdf",
      ]
      try await until("the file's disposal") { try rig.filesLeft() == left }
      #expect(try String(contentsOf: target, encoding: .utf8) == "not for the spool\n")
    }
  }

  @Test func emptyFilesAreUploadedAndRegistered() async throws {
    try await withRig { rig in
      try rig.drop("empty.txt", Data())
      let job = try await rig.daemon.job(named: "empty.txt", in: "registered")
      #expect(job.size == 0)
      #expect(try await rig.sandbox.objects().values.map(\.size) == [0])
      #expect(try rig.sandbox.registrations().map(\.body.size) == [0])
    }
  }

  @Test func claimsFilesPresentAtStart() async throws {
    try await withRig(starting: false) { rig in
      try rig.drop("early.pdf")
      try await rig.daemon.start()
      try await rig.daemon.job(named: "early.pdf", in: "registered")
    }
  }

  /// Written where it lies instead of renamed in: taken once its closing was seen and it has been still.
  @Test func claimsFileOnClose() async throws {
    try await withRig { rig in
      let path = rig.setup.spool.appending(path: "slow.bin").path
      let writer = try ChildProcess(
        ["sh", "-c", "exec >\"$1\"; printf one; read line; printf two", "_", path],
        input: .written, folder: rig.folder, log: "writer")
      try await until("the first word") { FileManager.default.contents(atPath: path) == Data("one".utf8) }
      try await rig.drop("other.pdf", until: "registered")
      #expect(FileManager.default.fileExists(atPath: path), "it is still open")
      try writer.write("go on\n")
      try await writer.end()
      let job = try await rig.daemon.job(named: "slow.bin", in: "registered")
      #expect(job.size == 6)
    }
  }

  @Test func reusedNameMakesTwoJobs() async throws {
    try await withRig { rig in
      try await rig.drop("a.pdf", until: "registered")
      try rig.drop("a.pdf", Data("other bytes\n".utf8))
      try await until("the second job") { try await rig.daemon.count("registered") == 2 }
      let registrations = try rig.sandbox.registrations()
      #expect(registrations.map(\.body.name) == ["a.pdf", "a.pdf"])
      #expect(Set(registrations.map(\.body.id)).count == 2)
      #expect(registrations.map(\.body.job) == [1, 2])
    }
  }
}
