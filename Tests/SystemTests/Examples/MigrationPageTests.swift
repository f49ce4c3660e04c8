import ChildProcesses
import Foundation
import Testing

@testable import Harness

/// The configurations of `docs/migrate`, each in the cases in which its old way loses something (``OldWayTests``): nothing is lost, and
/// nothing is sent twice.
@Suite(.slot)
struct MigrationPageTests {
  /// A program that has a file open, and pauses between two lines.
  private struct Writer {
    let child: ChildProcess

    init(_ name: String, _ rig: Rig) throws {
      let script = "exec 3> \"$1\"; echo 'page 1' >&3; echo paused; read -r _; echo 'page 2' >&3"
      child = try ChildProcess(
        ["bash", "-c", script, "_", rig.setup.spool.appending(path: name).path], input: .written, folder: rig.folder,
        log: "writer")
    }

    /// Lets the daemon look several times while the writer pauses, which has to leave the file alone. Then the writer goes on and ends.
    func pauseThenEnd(_ name: String, _ rig: Rig) async throws {
      try await child.prints("paused")
      for _ in 0..<3 { try await rig.daemon.nextScan() }
      #expect(try await rig.daemon.newestJob(named: name) == nil, "\(name) is still being written")
      try child.write("\n")
      #expect(try await child.end() == .exit(0))
    }
  }

  /// What was registered, by name, with repeats.
  private func names(_ rig: Rig) throws -> [String] {
    try rig.sandbox.registrations().compactMap(\.body.name.string).sorted()
  }

  /// Waits until so many registrations are there, and expects these names, each as often as it stands there, and an empty spool.
  private func expect(_ expected: [String], _ rig: Rig) async throws {
    try await until("\(expected.count) registrations") {
      try await rig.daemon.count("registered") >= expected.count
    }
    #expect(try names(rig) == expected.sorted())
    #expect(try await rig.sandbox.objects().count == expected.count)
    try await until("the files to be gone") { try rig.filesLeft().isEmpty }
  }

  private func content(_ suffix: String, _ rig: Rig) async throws -> [String] {
    try await rig.sandbox.objects().filter { $0.key.hasSuffix(suffix) }.compactMap(\.value.sha256.string).sorted()
  }

  private func sum(_ text: String) async throws -> String {
    String(try await Command.run(["sha256sum"], input: Data(text.utf8)).output.prefix(64))
  }

  @Test func inotifywaitPageLosesNothing() async throws {
    try await withMigration("inotifywait") { rig in
      try rig.drop("early.pdf")
      try await rig.daemon.start()
      try rig.drop("renamed.pdf")
      for name in ["back\\slash.pdf", "a blank "] {
        try Data("text\n".utf8).write(to: rig.setup.spool.appending(path: name))
      }
      let writer = try Writer("scan.pdf", rig)
      defer { writer.child.cut() }
      try await writer.pauseThenEnd("scan.pdf", rig)
      try await until("5 registrations") { try await rig.daemon.count("registered") == 5 }

      // The storage is away for a moment.
      try await rig.sandbox.fail(["upload": ["status": 500]])
      try rig.drop("lost.pdf")
      try await rig.sandbox.receives("upload", 5 + 3)
      // The daemon is killed meanwhile, and a file comes while it is off.
      try await rig.daemon.kill()
      try rig.drop("while-off.pdf")
      try await rig.sandbox.recover()
      try await rig.daemon.start()
      try await expect(
        ["a blank ", "back\\slash.pdf", "early.pdf", "lost.pdf", "renamed.pdf", "scan.pdf", "while-off.pdf"], rig)
      let both = try await sum("page 1\npage 2\n")
      #expect(try await content("/scan.pdf", rig) == [both])
    }
  }

  @Test func rclonePageLosesNothing() async throws {
    try await withMigration("rclone") { rig in
      try await rig.daemon.start()
      let writer = try Writer("scan.pdf", rig)
      defer { writer.child.cut() }
      try await writer.pauseThenEnd("scan.pdf", rig)
      for day in ["monday\n", "tuesday\n"] {
        try rig.drop("report.pdf", Data(day.utf8))
        try await until("\(day) to be registered") {
          try names(rig).count { $0 == "report.pdf" } == (day == "monday\n" ? 1 : 2)
        }
      }
      // The backend fails twice.
      try await rig.sandbox.fail(["register": ["statuses": [502, 502, 201]]])
      try await rig.drop("invoice.pdf", until: "registered")
      let below = rig.setup.spool.appending(path: "2026/11")
      try FileManager.default.createDirectory(at: below, withIntermediateDirectories: true)
      try rig.drop("deep.pdf", in: "spool/2026/11")
      try await until("5 registrations") { try await rig.daemon.count("registered") == 5 }
      try await until("the directory to be gone") { !FileManager.default.fileExists(atPath: below.path) }
      try await expect(["deep.pdf", "invoice.pdf", "report.pdf", "report.pdf", "scan.pdf"], rig)
      #expect(try await rig.sandbox.objects().keys.contains { $0.hasPrefix("2026/11/") && $0.hasSuffix("/deep.pdf") })
      #expect(try await content("/report.pdf", rig) == [sum("monday\n"), sum("tuesday\n")].sorted())
      #expect(try await content("/scan.pdf", rig) == [sum("page 1\npage 2\n")])
    }
  }

  /// Also of a `.path` unit: the storage is away for more starts than the start limit of systemd allows.
  @Test func incronPageLosesNothing() async throws {
    try await withMigration("incron") { rig in
      try rig.drop("early.pdf")
      try await rig.sandbox.fail(["upload": ["status": 500]])
      try await rig.daemon.start()
      try await rig.sandbox.receives("upload", 7)
      let shell = "$(touch \(rig.folder.lastPathComponent); id>&2).pdf"
      for name in (1...40).map({ "\($0).pdf" }) + [shell] { try rig.drop(name) }
      try await rig.sandbox.recover()
      try await expect(["early.pdf", shell] + (1...40).map { "\($0).pdf" }, rig)
      #expect(try !rig.daemon.errorText.contains("uid="), "no shell has read the name")
    }
  }

  @Test func lsyncdPageLosesNothing() async throws {
    try await withMigration("lsyncd") { rig in
      try rig.drop("early.pdf")
      // The first attempt fails, which ends lsyncd.
      try await rig.sandbox.fail(["upload": ["statuses": [500, 500, 200]]])
      try await rig.daemon.start()
      for name in ["a.pdf", "b.pdf"] { try rig.drop(name) }
      try await expect(["a.pdf", "b.pdf", "early.pdf"], rig)
      // The files are kept beside the spool, and what is cleaned up there stays in the storage.
      let archive = rig.folder.appending(path: "archive")
      let kept = try #require(FileManager.default.enumerator(atPath: archive.path)).compactMap { $0 as? String }
        .filter { $0.hasSuffix(".pdf") }
      #expect(kept.count == 3, "\(kept)")
      for name in kept { try FileManager.default.removeItem(at: archive.appending(path: name)) }
      try await rig.drop("c.pdf", until: "registered")
      #expect(try await rig.sandbox.objects().count == 4)
    }
  }

  @Test func mirrorPageLosesNothing() async throws {
    try await withMigration("mc-mirror") { rig in
      try await rig.daemon.start()
      try rig.drop("report.pdf", Data("first\n".utf8))
      try await until("the first") { try await rig.daemon.count("registered") == 1 }
      // The storage goes away while the daemon watches, and comes back.
      try await rig.sandbox.fail(["upload": ["cut": "before"]])
      try rig.drop("report.pdf", Data("second\n".utf8))
      try await rig.sandbox.receives("upload", 1 + 2)
      try await rig.sandbox.recover()
      try await expect(["report.pdf", "report.pdf"], rig)
      #expect(try await content("/report.pdf", rig) == [sum("first\n"), sum("second\n")].sorted())
    }
  }
}
