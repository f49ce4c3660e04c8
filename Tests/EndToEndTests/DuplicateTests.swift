import ChildProcesses
import Foundation
import Testing

@testable import Harness

/// Files with the bytes of an earlier one.
@Suite(.slot)
struct DuplicateTests {
  private func lines(_ word: String) -> [String] { ["duplicates = \"\(word)\""] }

  private func sent(_ name: String, _ rig: Rig) async throws -> JSONValue {
    try await rig.daemon.job(named: name, in: "registered")
  }

  @Test func skipRemovesWithoutSending() async throws {
    try await withRig(journal: Capability.journald.isThere, { $0.spoolLines = lines("skip") }) { rig in
      try rig.drop("a.pdf")
      let first = try await sent("a.pdf", rig)
      try rig.drop("b.pdf")
      let skipped = try await rig.daemon.job(named: "b.pdf", in: "skipped")
      #expect(skipped.same_as == first.job && skipped.link == nil && skipped.error == nil, "\(skipped)")
      try await until("the file to be gone") { try rig.filesLeft() == [] }
      #expect(try await rig.sandbox.count("upload") == 1)
      #expect(try rig.sandbox.registrations().count == 1)
      let shown = try await rig.daemon.waybill("show", "2")
      #expect(shown.output.contains("skipped") && shown.output.contains("Same bytes    as job 1"), "\(shown)")
      let explained = try await rig.daemon.waybill("explain", "2")
      #expect(explained.output.contains("the same bytes as job 1"), "\(explained)")
      let confirm = try await rig.daemon.waybill("confirm", "2")
      #expect(confirm.status == 1 && confirm.errors.contains("skipped"), "\(confirm)")
      // Other bytes of the same length are sent, and it is known after a start.
      try rig.drop("c.pdf", Data("SOME BYTES\n".utf8))
      _ = try await sent("c.pdf", rig)
      #expect(try await rig.daemon.stop() == .exit(0))
      try await rig.daemon.start()
      try rig.drop("d.pdf")
      try await rig.daemon.job(named: "d.pdf", in: "skipped")
      guard let entries = try await rig.journal?.entries("WAYBILL_EVENT=skipped") else { return }
      #expect(entries.first?.WAYBILL_SAME_AS == "1" && entries.first?.WAYBILL_JOB == "2", "\(entries)")
    }
  }

  /// An attempt that a stop or a crash cut is looked at again: the bytes are recognised although something may have been stored.
  @Test(arguments: [true, false]) func cutAttemptIsRecognized(isKilled: Bool) async throws {
    try await withRig({ setup in
      setup.spoolLines = lines("skip")
      setup.grace = "300ms"
      setup.waitForServers()
    }) { rig in
      try rig.drop("a.pdf")
      _ = try await sent("a.pdf", rig)
      // Other bytes, so that it is sent; while it is on its way, the daemon ends.
      try await rig.sandbox.fail(["upload": ["hold": true, "times": 1]])
      try rig.drop("b.pdf", Data("other bytes".utf8))
      try await rig.sandbox.receives("upload", 2)
      if isKilled { try await rig.daemon.kill() } else { #expect(try await rig.daemon.stop() == .exit(0)) }
      // Meanwhile the file is what was sent before.
      let claimed = rig.setup.spool.appending(path: ".waybill")
      let name = try #require(
        FileManager.default.contentsOfDirectory(atPath: claimed.path).first { $0.hasSuffix("~b.pdf") })
      try Data("some bytes\n".utf8).write(to: claimed.appending(path: name))
      try await rig.daemon.start()
      try await rig.daemon.job(named: "b.pdf", in: "skipped")
    }
  }
}
