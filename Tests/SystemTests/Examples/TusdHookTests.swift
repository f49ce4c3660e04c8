import ChildProcesses
import Foundation
import Testing

@testable import Harness

/// tusd's hook of `docs/examples/tusd`, with uploads as tusd leaves them on disk, and a daemon with the page's configuration behind it.
@Suite(.slot, .needs(.receiverPrograms))
struct TusdHookTests {
  private struct Uploads {
    let folder: URL
    let spool: URL

    init(_ rig: Rig) throws {
      folder = rig.folder.appending(path: "tusd")
      spool = rig.setup.spool
      try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    }

    /// Writes an upload as tusd's filestore does: the bytes so far, and a description.
    func write(_ id: String, _ bytes: String, size: Int? = nil, name: JSONValue = .null, more: JSONValue = [:]) throws {
      var info: JSONValue = [
        "ID": .string(id), "Size": .number(Double(size ?? bytes.utf8.count)), "SizeIsDeferred": false, "Offset": 0,
        "MetaData": name.isNull ? [:] : ["filename": name], "IsPartial": false, "IsFinal": false,
        "PartialUploads": .null,
        "Storage": ["Type": "filestore", "Path": .string(folder.appending(path: id).path)],
      ]
      info = .object(info.members.merging(more.members) { _, new in new })
      try Data(bytes.utf8).write(to: folder.appending(path: id))
      try Data(info.description.utf8).write(to: folder.appending(path: id + ".info"))
    }

    /// Runs the hook as tusd or a timer does.
    func hook() async throws -> Command {
      try await Command.run(
        Products.unpacked("receivers") + [Products.source("docs/examples/tusd/post-finish")],
        environment: ["UPLOADS": folder.path, "SPOOL": spool.path])
    }

    var left: [String] {
      get throws {
        try FileManager.default.contentsOfDirectory(atPath: folder.path).filter { !$0.hasPrefix(".") }.sorted()
      }
    }
  }

  @Test func eachFinishedUploadIsSentOnce() async throws {
    try await withMigration("tusd") { rig in
      let uploads = try Uploads(rig)
      try await rig.daemon.start()
      try uploads.write("a1", "first", name: "größe 1.pdf")
      try uploads.write("a2", "", name: "empty.pdf")
      try uploads.write("a3", "third", name: "../../etc/passwd")
      try uploads.write("a4", "fourth")
      try uploads.write("a5", "fifth", name: .string(String(repeating: "ü", count: 300)))
      try uploads.write("a6", "sixth", name: "line\nbreak\u{7}.pdf")
      try uploads.write("half", "1234", size: 8, name: "half.pdf")
      try uploads.write("later", "1234", name: "later.pdf", more: ["SizeIsDeferred": true, "Size": 0])
      try uploads.write("part", "1234", name: "part.pdf", more: ["IsPartial": true])
      // Hooks run at the same time.
      try await withThrowingTaskGroup(of: Command.self) { hooks in
        for _ in 0..<3 { hooks.addTask { try await uploads.hook() } }
        for try await hook in hooks { #expect(hook.status == 0, "\(hook)") }
      }
      try await until("6 registrations") { try await rig.daemon.count("registered") == 6 }
      #expect(try uploads.left == ["half", "half.info", "later", "later.info", "part", "part.info"])
      let bodies = try rig.sandbox.registrations().map(\.body)
      let names = bodies.compactMap(\.name.string).sorted()
      #expect(
        names == [
          "a1_größe 1.pdf", "a2_empty.pdf", "a3_....etcpasswd", "a4", "a5_" + String(repeating: "ü", count: 80),
          "a6_linebreak.pdf",
        ])
      #expect(Set(bodies.map(\.id)).count == 6)

      // What was unfinished goes with a later hook, and once.
      try uploads.write("half", "12345678", name: "half.pdf")
      for _ in 0..<2 { #expect(try await uploads.hook().status == 0) }
      try await rig.daemon.job(named: "half_half.pdf", in: "registered")
      #expect(try await rig.daemon.jobs().count == 7)
    }
  }

  /// What cannot be moved stays, and is said.
  @Test func uploadStaysIfNameIsTaken() async throws {
    try await withMigration("tusd") { rig in
      let uploads = try Uploads(rig)
      try uploads.write("a1", "first", name: "x.pdf")
      try "another".write(to: rig.setup.spool.appending(path: "a1_x.pdf"), atomically: true, encoding: .utf8)
      let hook = try await uploads.hook()
      #expect(hook.status == 1 && hook.errors.contains("was not moved"), "\(hook)")
      #expect(try uploads.left == ["a1", "a1.info"])
      try await rig.daemon.start()
      try await rig.daemon.job(named: "a1_x.pdf", in: "registered")
      #expect(try await uploads.hook().status == 0)
      try await until("a job of its own") { try await rig.daemon.jobs().count == 2 }
      #expect(try uploads.left.isEmpty)
    }
  }
}
