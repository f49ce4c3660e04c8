import ChildProcesses
import Foundation
import Testing

@testable import Harness

/// `waybill add` with directories, for a spool that takes them as groups.
@Suite(.slot)
struct AddTreeTests {
  /// A directory of a person's own, outside the spool.
  private func tree(_ name: String, in rig: Rig, _ files: [String: Data]) throws -> URL {
    let place = rig.folder.appending(path: "mine/\(name)")
    try FileManager.default.createDirectory(at: place, withIntermediateDirectories: true)
    try Groups.make(place, files)
    return place
  }

  private func namesInSpool(_ rig: Rig) throws -> [String] {
    try FileManager.default.contentsOfDirectory(atPath: rig.setup.spool.path).filter { $0 != ".waybill" }
  }

  @Test func addsDirectoriesWhole() async throws {
    try await withRig({ Groups.adjust(&$0) }) { rig in
      var files = try Groups.bytes()
      files["data/a\u{1B}[31mü.bin"] = Data("x".utf8)
      let marked = files.merging(["CopyComplete.txt": Data("done".utf8)]) { $1 }
      let one = try tree("run42", in: rig, marked)
      try FileManager.default.createDirectory(at: one.appending(path: "none/none"), withIntermediateDirectories: true)
      let two = try tree("b", in: rig, ["CopyComplete.txt": Data(), "only": Data("y".utf8)])
      // The umask of a person must not keep the daemon's group out.
      let add = try await Command.run(
        ["bash", "-c", "umask 077; exec \"$@\"", "_", Products.command, "add", one.path + "/", two.path],
        environment: ["WAYBILL_SOCKET": rig.setup.socket])
      #expect(add.status == 0 && add.output == "run42 added to documents\nb added to documents\n", "\(add)")
      try await rig.daemon.job(named: "run42", in: "registered")
      try await rig.daemon.job(named: "b", in: "registered")
      let objects = try await rig.sandbox.objects().keys
      #expect(objects.count == files.count + 1, "\(objects)")
      for path in files.keys { #expect(objects.contains { $0.hasSuffix("/run42/" + path) }, "\(path): \(objects)") }
      let body = try #require(try rig.sandbox.registrations().map(\.body).first { $0.name == "run42" })
      #expect(body.files.array.count == files.count, "\(body)")
      try await until("nothing to be left in the spool") { rig.filesInSpool().isEmpty }
      // One's own directory stays as it was.
      for (path, data) in marked { #expect(try Data(contentsOf: one.appending(path: path)) == data) }
    }
  }

  @Test func keepsModesForTheGroup() async throws {
    try await withRig({ Groups.adjust(&$0) }) { rig in
      #expect(try await rig.daemon.waybill("pause", "--intake").status == 0)
      let one = try tree("run", in: rig, ["CopyComplete.txt": Data(), "a/b.bin": Data("x".utf8)])
      try await Command.require(["chmod", "-R", "go-rwx", one.path])
      try await Command.require(["chmod", "g+s", rig.setup.spool.path])
      try await Command.require(["touch", "-d", "2001-02-03T04:05:06Z", one.appending(path: "a/b.bin").path])
      #expect(try await rig.daemon.waybill("add", one.path).status == 0)
      let found = try await Command.run(
        ["find", rig.setup.spool.appending(path: "run").path, "-printf", "%P %m\n"]
      ).output.split(separator: "\n").sorted()
      #expect(found == [" 2770", "CopyComplete.txt 660", "a 2770", "a/b.bin 660"], "\(found)")
      let file = rig.setup.spool.appending(path: "run/a/b.bin").path
      let modified = try FileManager.default.attributesOfItem(atPath: file)[.modificationDate] as? Date
      #expect(modified == Date(timeIntervalSince1970: 981_173_106))
    }
  }

  @Test func refusesWhatWouldWaitForEver() async throws {
    try await withRig({ Groups.adjust(&$0) }) { rig in
      let unmarked = try tree("run1", in: rig, ["a.bin": Data(), "data/CopyComplete.txt": Data()])
      let linked = try tree("run2", in: rig, ["CopyComplete.txt": Data()])
      try FileManager.default.createSymbolicLink(
        at: linked.appending(path: "link"), withDestinationURL: unmarked.appending(path: "a.bin"))
      let good = try tree("run3", in: rig, ["CopyComplete.txt": Data(), "x": Data("x".utf8)])
      #expect(try await rig.daemon.waybill("pause", "--intake").status == 0)
      let add = try await rig.daemon.waybill("add", unmarked.path, linked.path, "/nonexistent/run", good.path)
      #expect(add.status == 1 && add.output == "run3 added to documents\n", "\(add)")
      for words in [
        "\(unmarked.path) has no marker (CopyComplete.txt), so it would wait in the spool for ever",
        "\(linked.path)/link is a symbolic link: a group has files and directories alone", "/nonexistent/run: No such",
      ] { #expect(add.errors.contains(words), "\(add)") }
      let twice = try await rig.daemon.waybill("add", good.path)
      #expect(
        twice.status == 1 && twice.errors.contains("something named run3 still waits in \(rig.setup.spool.path)"),
        "\(twice)")
      let long = try await rig.daemon.waybill("add", good.path, "--name", String(repeating: "n", count: 219))
      #expect(long.status == 1 && long.errors.contains("is too long: that of a directory has at most 218"), "\(long)")
      for (words, reason) in [
        (["--meta", "a=b"], "leave out --meta"), (["--wait"], "leave out --wait"),
        (["--name", "x.tmp"], "which the spool ignores"),
      ] {
        let refused = try await rig.daemon.waybill(["add", good.path] + words)
        #expect(refused.status == 64 && refused.errors.contains(reason), "\(refused)")
      }
      #expect(try namesInSpool(rig) == ["run3"])
    }
  }

  @Test func signalLeavesNothing() async throws {
    try await withRig({ Groups.adjust(&$0) }) { rig in
      let run = try tree("run", in: rig, ["CopyComplete.txt": Data(), "d/large.bin": Data()])
      // All holes, so that it costs nothing here, and too much for any machine to copy before the signal.
      try FileHandle(forWritingTo: run.appending(path: "d/large.bin")).truncate(atOffset: 1 << 40)
      let child = try ChildProcess(
        [Products.command, "add", run.path], environment: ["WAYBILL_SOCKET": rig.setup.socket], folder: rig.folder,
        log: "add")
      defer { child.cut() }
      try await until("the copy to begin") {
        try namesInSpool(rig).contains {
          FileManager.default.fileExists(atPath: rig.setup.spool.appending(path: $0 + "/d/large.bin").path)
        }
      }
      child.signal(SIGTERM)
      #expect(try await child.end() == .signal(SIGTERM))
      #expect(try namesInSpool(rig).isEmpty)
    }
  }
}
