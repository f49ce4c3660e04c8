import ChildProcesses
import Foundation
import Testing

@testable import Harness

/// `waybill add` while no daemon can be asked: the person names the spool's directory.
@Suite(.slot)
struct AddWithoutDaemonTests {
  private func file(_ name: String, in rig: Rig) throws -> String {
    let file = rig.folder.appending(path: name)
    try Data("some bytes\n".utf8).write(to: file)
    return file.path
  }

  @Test func addsWhileDaemonIsDown() async throws {
    try await withRig { rig in
      let spool = rig.setup.spool.path
      #expect(try await rig.daemon.stop() == .exit(0))
      let add = try await rig.daemon.waybill(
        "add", try file("a.pdf", in: rig), "--spool", spool, "--meta", "author=anna")
      #expect(add.status == 0 && add.output == "a.pdf added to \(spool)\n", "\(add)")
      #expect(
        add.errors
          == "waybill: no daemon answers at \(rig.setup.socket): what was added waits in the spool until a daemon runs\n",
        "\(add)")
      let wait = try await rig.daemon.waybill("add", try file("b.pdf", in: rig), "--spool", spool, "--wait")
      #expect(wait.status == 69 && wait.errors.contains("no daemon answers"), "\(wait)")
      #expect(rig.filesInSpool() == [spool + "/a.pdf"])
      try await rig.daemon.start()
      #expect(try await rig.daemon.job(named: "a.pdf", in: "registered").metadata == ["author": "anna"])
    }
  }

  /// If the disk of the spool is not there, the files would lie below its mount.
  @Test func refusesDirectoryOfNoDaemon() async throws {
    try await withRig { rig in
      #expect(try await rig.daemon.stop() == .exit(0))
      let unnamed = try await rig.daemon.waybill("add", try file("a.pdf", in: rig))
      #expect(
        unnamed.status == 69 && unnamed.errors.contains("name the directory of the spool: --spool /PATH"), "\(unnamed)")
      let other = try await rig.daemon.waybill("add", try file("a.pdf", in: rig), "--spool", rig.folder.path)
      #expect(
        other.status == 64 && other.errors.contains("\(rig.folder.path) is not the spool of a daemon"), "\(other)")
    }
  }

  @Test func directoryNamesSpool() async throws {
    try await withRig { rig in
      let spool = rig.setup.spool.path
      let link = rig.folder.appending(path: "link")
      try FileManager.default.createSymbolicLink(at: link, withDestinationURL: rig.setup.spool)
      for (index, path) in [spool, spool + "/", link.path].enumerated() {
        let add = try await rig.daemon.waybill("add", try file("\(index).pdf", in: rig), "--spool", path, "--wait")
        #expect(add.status == 0, "\(add)")
      }
      let other = try await rig.daemon.waybill("add", try file("a.pdf", in: rig), "--spool", rig.folder.path)
      #expect(other.status == 64 && other.errors.contains("the spools are: documents"), "\(other)")
      let unknown = try await rig.daemon.waybill("add", try file("a.pdf", in: rig), "--spool", "document")
      #expect(unknown.status == 64 && unknown.errors.contains("the spools are: documents"), "\(unknown)")
    }
  }
}
