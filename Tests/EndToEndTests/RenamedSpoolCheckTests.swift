import ChildProcesses
import Foundation
import Testing

@testable import Harness

/// `waybill check` tells of jobs that would not find their files under another name of their spool.
@Suite(.slot)
struct RenamedSpoolCheckTests {
  private func check(_ rig: Rig, _ toml: String, _ more: String...) async throws -> Command {
    let file = rig.folder.appending(path: "next.toml")
    try toml.write(to: file, atomically: true, encoding: .utf8)
    return try await Command.run([Products.command, "check", "--config", file.path] + more)
  }

  private func renamed(_ rig: Rig) -> String {
    rig.setup.toml.replacing("name = \"documents\"", with: "name = \"papers\"")
  }

  @Test func tellsRenamedSpool() async throws {
    try await withRig(faults: ["register": ["status": 422]]) { rig in
      // Nothing needs the name yet.
      #expect(try await check(rig, renamed(rig)).status == 0)
      try await rig.drop("asks.pdf", until: "awaiting-confirmation")
      let one = try await check(rig, renamed(rig))
      let words =
        "! spool.documents has another name in the file: 1 job of documents needs its file: set name = \"documents\" for "
        + rig.setup.spool.path
      #expect(one.status == 78 && one.output.contains(words), "\(one)")
      try await rig.drop("stopped.pdf", until: "awaiting-confirmation")
      #expect(try await rig.daemon.waybill("cancel", "stopped.pdf").status == 0)
      let two = try await check(rig, renamed(rig))
      #expect(two.status == 78 && two.output.contains("2 jobs of documents need their files: set name"), "\(two)")
      #expect(try await check(rig, rig.setup.toml).status == 0)
      #expect(try await check(rig, renamed(rig), "--no-spools").status == 0)
      // It ends with the jobs.
      try await rig.sandbox.recover()
      #expect(try await rig.daemon.waybill("confirm", "asks.pdf").status == 0)
      try await rig.daemon.job(named: "asks.pdf", in: "registered")
      #expect(try await rig.daemon.waybill("discard", "stopped.pdf", "--yes").status == 0)
      let none = try await check(rig, renamed(rig))
      #expect(none.status == 0 && !none.output.contains("documents"), "\(none)")
    }
  }

  /// A spool that is taken out may be meant: it is advice.
  @Test func tellsGoneSpool() async throws {
    try await withRig(faults: ["register": ["status": 422]]) { rig in
      let second = rig.folder.appending(path: "second")
      try FileManager.default.createDirectory(at: second, withIntermediateDirectories: false)
      try (rig.setup.toml + "\n" + rig.setup.second()).write(to: rig.setup.config, atomically: true, encoding: .utf8)
      #expect(try await rig.daemon.waybill("reload").status == 0)
      try Data("some bytes\n".utf8).write(to: second.appending(path: "a.pdf"))
      try await rig.daemon.job(named: "a.pdf", in: "awaiting-confirmation")
      let found = try await check(rig, rig.setup.toml)
      #expect(
        found.status == 0
          && found.output.contains(
            "? spool.second is not in the file: 1 job of second needs its file, and no spool has its"),
        "\(found)")
    }
  }

  /// Nobody is asked, and none is started, where no daemon is at work in the spools.
  @Test func silentWithoutDaemon() async throws {
    try await withRig(faults: ["register": ["status": 422]]) { rig in
      try await rig.drop("asks.pdf", until: "awaiting-confirmation")
      #expect(try await rig.daemon.stop() == .exit(0))
      let found = try await check(rig, renamed(rig))
      #expect(found.status == 0 && !found.output.contains("documents needs"), "\(found)")
    }
  }
}
