import ChildProcesses
import Foundation
import Testing

@testable import Harness

/// The list of spools beside the control socket, and `waybill add` for those who have no more than that.
@Suite(.slot)
struct SpoolListTests {
  private func list(_ rig: Rig) -> URL {
    URL(filePath: rig.setup.socket.replacing(".sock", with: ".spools.json"))
  }

  private func names(_ rig: Rig) throws -> [String?] {
    try JSONValue(parsing: try String(contentsOf: list(rig), encoding: .utf8)).spools.array.map(\.name.string)
  }

  private func file(_ name: String, in rig: Rig) throws -> String {
    let file = rig.folder.appending(path: name)
    try Data("some bytes\n".utf8).write(to: file)
    return file.path
  }

  @Test func followsReload() async throws {
    try await withRig({ $0.spoolLines = ["only = [\"*.pdf\"]"] }) { rig in
      #expect(try names(rig) == ["documents"])
      let spool = try #require(
        try JSONValue(parsing: try String(contentsOf: list(rig), encoding: .utf8)).spools.array.first)
      #expect(spool.path.string == rig.setup.spool.path && spool.only.array == ["*.pdf"])
      #expect(try FileManager.default.attributesOfItem(atPath: list(rig).path)[.posixPermissions] as? Int == 0o644)
      try FileManager.default.createDirectory(
        at: rig.folder.appending(path: "second"), withIntermediateDirectories: false)
      try (rig.setup.toml + "\n" + rig.setup.second()).write(to: rig.setup.config, atomically: true, encoding: .utf8)
      #expect(try await rig.daemon.waybill("reload").status == 0)
      #expect(try names(rig) == ["documents", "second"])
      try rig.setup.write()
      #expect(try await rig.daemon.waybill("reload").status == 0)
      #expect(try names(rig) == ["documents"])
    }
  }

  /// A list that was left while the directory was the daemon's own could be replaced now.
  @Test func groupWriteRemovesList() async throws {
    try await withRig { rig in
      #expect(FileManager.default.fileExists(atPath: list(rig).path))
      try await Command.require(["chmod", "0770", rig.folder.path])
      #expect(try await rig.daemon.waybill("reload").status == 0)
      #expect(!FileManager.default.fileExists(atPath: list(rig).path))
      #expect(try rig.daemon.told("because others may write in its directory") == 1)
      try await Command.require(["chmod", "0700", rig.folder.path])
      #expect(try await rig.daemon.waybill("reload").status == 0)
      #expect(FileManager.default.fileExists(atPath: list(rig).path))
    }
  }

  /// The disk of the spool is not there, and the files would lie below its mount.
  @Test func listedDirectoryIsSpool() async throws {
    try await withRig { rig in
      #expect(try await rig.daemon.stop() == .exit(0))
      let away = rig.folder.appending(path: "away")
      try FileManager.default.moveItem(at: rig.setup.spool, to: away)
      try FileManager.default.createDirectory(at: rig.setup.spool, withIntermediateDirectories: false)
      let add = try await rig.daemon.waybill("add", try file("a.pdf", in: rig))
      #expect(
        add.status == 64 && add.errors.contains("\(rig.setup.spool.path) is not the spool of a daemon"), "\(add)")
      #expect(try FileManager.default.contentsOfDirectory(atPath: rig.setup.spool.path).isEmpty)
      try FileManager.default.removeItem(at: rig.setup.spool)
      try FileManager.default.moveItem(at: away, to: rig.setup.spool)
      #expect(try await rig.daemon.waybill("add", try file("a.pdf", in: rig)).status == 0)
    }
  }

  /// Nothing is made where files stay, so there is nothing to look for.
  @Test func keptSpoolNeedsNoDirectory() async throws {
    try await withRig({ $0.spoolLines = ["after = \"keep\""] }) { rig in
      #expect(try JSONValue(parsing: try String(contentsOf: list(rig), encoding: .utf8)).kept.array == ["documents"])
      #expect(try await rig.daemon.stop() == .exit(0))
      let add = try await rig.daemon.waybill("add", try file("a.pdf", in: rig))
      #expect(add.status == 0 && add.output == "a.pdf added to documents\n", "\(add)")
    }
  }

  /// It is a help, and nothing fails without it.
  @Test func daemonRunsWithoutList() async throws {
    try await withRig(starting: false) { rig in
      try FileManager.default.createDirectory(
        at: list(rig).appending(path: "in the way"), withIntermediateDirectories: true)
      try await rig.daemon.start()
      try await rig.drop("a.pdf", until: "registered")
      #expect(try rig.daemon.told("waybill add works only for those who may use the control socket") == 1)
      #expect(try await rig.daemon.waybill("reload").status == 0)
      #expect(try rig.daemon.told("waybill add works only for those who may use the control socket") == 1)
    }
  }

  @Test func addsWhileDaemonIsDown() async throws {
    try await withRig { rig in
      #expect(try await rig.daemon.stop() == .exit(0))
      let add = try await rig.daemon.waybill("add", try file("a.pdf", in: rig), "--meta", "author=anna")
      #expect(add.status == 0 && add.output == "a.pdf added to documents\n", "\(add)")
      #expect(
        add.errors
          == "waybill: no daemon answers at \(rig.setup.socket): what was added waits in the spool until a daemon runs\n",
        "\(add)")
      let unknown = try await rig.daemon.waybill("add", try file("b.pdf", in: rig), "--spool", "document")
      #expect(unknown.status == 64 && unknown.errors.contains("did you mean 'documents'?"), "\(unknown)")
      let wait = try await rig.daemon.waybill("add", try file("b.pdf", in: rig), "--wait")
      #expect(wait.status == 69 && wait.errors.contains("no daemon answers"), "\(wait)")
      #expect(rig.filesInSpool() == [rig.setup.spool.path + "/a.pdf"])
      try await rig.daemon.start()
      #expect(try await rig.daemon.job(named: "a.pdf", in: "registered").metadata == ["author": "anna"])
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
      #expect(try await rig.daemon.stop() == .exit(0))
      try FileManager.default.removeItem(at: list(rig))
      let nothing = try await rig.daemon.waybill("add", try file("a.pdf", in: rig))
      #expect(
        nothing.status == 69 && nothing.errors.contains("name the directory of the spool: --spool /PATH"), "\(nothing)")
      let named = try await rig.daemon.waybill("add", try file("a.pdf", in: rig), "--spool", spool)
      #expect(named.status == 0 && named.output == "a.pdf added to \(spool)\n", "\(named)")
      let no = try await rig.daemon.waybill("add", try file("b.pdf", in: rig), "--spool", rig.folder.path)
      #expect(no.status == 64 && no.errors.contains("\(rig.folder.path) is not the spool of a daemon"), "\(no)")
      try await rig.daemon.start()
      try await rig.daemon.job(named: "a.pdf", in: "registered")
    }
  }
}
