import ChildProcesses
import Foundation
import Testing

@testable import Harness

/// What is said of keys that cannot be read.
@Suite(.slot)
struct CredentialsTests {
  /// The same key, in a file that could not be read for a while. As root reads any file, it is away.
  @Test func unreadableKeyIsNotCalledRefused() async throws {
    try await withRig { rig in
      let (file, aside) = (rig.setup.accessKeyFile, rig.folder.appending(path: "aside"))
      try FileManager.default.moveItem(at: file, to: aside)
      try await rig.drop("a.pdf", until: "awaiting-credentials")
      let reason = "cannot read \(file.path): No such file or directory"
      let gate = try #require(try await rig.daemon.status().gates.array.first)
      #expect(gate.reason == "credentials" && gate.words.string == reason)
      let probe = try #require(gate.until.string)
      let status = try await rig.daemon.waybill("status").output
      #expect(status.contains("storage.main is on hold: \(reason)") && !status.contains("refused"), "\(status)")
      let shown = try await rig.daemon.waybill("status", "--long").output
      #expect(shown.contains("storage.main: jobs wait until its key can be read"), "\(shown)")
      #expect(!shown.contains("refuses its key"), "\(shown)")
      try FileManager.default.moveItem(at: aside, to: file)
      let job = try await rig.daemon.job(named: "a.pdf", in: "registered", after: "awaiting-credentials")
      let stored = try #require(job.attempts.array.last { $0.step == "upload" && $0.outcome == "succeeded" })
      #expect(try #require(stored.started_at.string) < probe)
    }
  }
}
