import ChildProcesses
import Foundation
import Testing

@testable import Harness

/// Uploads in parts that nobody knows any more.
@Suite(.slot)
struct SweepTests {
  private static func inParts(_ setup: inout DaemonSetup) {
    setup.sendInParts()
  }

  private static let busy: JSONValue = ["part": ["statuses": [200, 503], "retry_after": 1]]

  /// Loses the disk with the ledger. Only the claimed files still carry their ids.
  private func loseLedger(_ rig: Rig) async throws {
    #expect(try await rig.daemon.stop() == .exit(0))
    for file in try FileManager.default.contentsOfDirectory(atPath: rig.setup.state.path) {
      try FileManager.default.removeItem(at: rig.setup.state.appending(path: file))
    }
  }

  /// The ledger has forgotten the upload, but not that it may have.
  @Test func recoveredJobLeavesNoUpload() async throws {
    try await withRig(faults: Self.busy, Self.inParts) { rig in
      try rig.drop("a.bin", try Bytes.random(12 << 20))
      try await rig.daemon.job(named: "a.bin", in: "aborted")
      try await loseLedger(rig)
      #expect(try await rig.sandbox.state().uploads.array.count == 1)
      try await rig.sandbox.recover()
      try await rig.daemon.start()
      #expect(try await rig.daemon.waybill("resume", "--recovered").status == 0)
      try await rig.daemon.job(named: "a.bin", in: "registered")
      #expect(try await rig.sandbox.state().uploads == [])
    }
  }

  @Test func sweepsOnlyOrphanedUploads() async throws {
    try await withRig(faults: Self.busy, Self.inParts) { rig in
      try rig.drop("lost.bin", try Bytes.random(12 << 20))
      try await rig.daemon.job(named: "lost.bin", in: "aborted")
      try await loseLedger(rig)
      let claims = rig.setup.spool.appending(path: ".waybill")
      for file in try rig.filesLeft() { try FileManager.default.removeItem(at: claims.appending(path: file)) }
      try await rig.sandbox.recover()
      try await rig.daemon.start()
      #expect(try await rig.sandbox.state().uploads.array.count == 1, "nobody knows of it")

      try await rig.sandbox.fail(Self.busy)
      try rig.drop("kept.bin", try Bytes.random(12 << 20))
      let kept = try await rig.daemon.job(named: "kept.bin", in: "aborted")
      #expect(try await rig.sandbox.state().uploads.array.count == 2)
      try await rig.sandbox.recover()

      #expect(
        try await rig.daemon.waybill("sweep").output == "0 multipart uploads that belong to no job\n", "not that young")
      let listed = try await rig.daemon.waybill("sweep", "--older-than", "0s", "--dry-run")
      #expect(listed.status == 0 && listed.output.contains("1 multipart upload that belongs to no job"), "\(listed)")
      #expect(listed.output.contains("/lost.bin") && !listed.output.contains("kept.bin"))
      let unasked = try await rig.daemon.waybill("sweep", "--older-than", "0s")
      #expect(unasked.status == 64 && unasked.errors.contains("--yes"), "\(unasked)")
      #expect(try await rig.sandbox.state().uploads.array.count == 2)
      let swept = try await rig.daemon.waybill("sweep", "--older-than", "0s", "--yes")
      #expect(swept.output.contains("1 multipart upload that belongs to no job, 1 aborted"), "\(swept)")
      #expect(
        try await rig.sandbox.state().uploads.array.map(\.key.string) == [kept.key.string], "that one a job owns")
      try await expectTrace(rig)

      #expect(try await rig.daemon.waybill("retry", "--state", "aborted,awaiting-confirmation").status == 0)
      try await until("it to be registered") { try await rig.daemon.count("registered") == 1 }
      #expect(try await rig.sandbox.state().uploads == [])
      let unknown = try await rig.daemon.waybill("sweep", "--storage", "nope")
      #expect(
        unknown.status == 1 && unknown.errors.contains("There is no storage nope; the storages are: main"), "\(unknown)"
      )
    }
  }

  /// Who had it done, where, and how many uploads went: in the log and in the journal. A look leaves no trace.
  private func expectTrace(_ rig: Rig) async throws {
    let user = try await OwnUser.name
    let lines = try await until("the trace") {
      let lines = try await rig.daemon.waybill("log", "--event", "swept", "--by", user).output.split(separator: "\n")
      return lines.contains { $0.contains("sweep") } ? lines : nil
    }
    #expect(lines.count { $0.contains("sweep") } == 1, "\(lines)")
    #expect(
      lines.contains { $0.contains("storage.main: 1 multipart upload is aborted by a sweep (asked for by \(user))") },
      "\(lines)")
    #expect(try rig.daemon.errorText.contains("WAYBILL_EVENT=swept"), "in the journal")
    let events = try await rig.daemon.control("GET", "/v1/log?event=swept").json.events.array
    #expect(
      events.count == 1 && events[0].by.user.string == user && events[0].destination == "storage.main", "\(events)")
  }

  /// Some went before the storage refused: they are told of.
  @Test func interruptedSweepIsLogged() async throws {
    try await withRig(faults: Self.busy, Self.inParts) { rig in
      for name in ["a.bin", "b.bin"] {
        try await rig.sandbox.fail(Self.busy)
        try rig.drop(name, try Bytes.random(12 << 20))
        try await rig.daemon.job(named: name, in: "aborted")
      }
      try await loseLedger(rig)
      try await rig.daemon.start()
      try await rig.sandbox.fail(["abort": ["statuses": [204, 403], "code": "AccessDenied"], "part": ["status": 503]])
      let swept = try await rig.daemon.waybill("sweep", "--older-than", "0s", "--yes")
      #expect(swept.status != 0 && swept.errors.contains("1 uploads were aborted before"), "\(swept)")
      let events = try await rig.daemon.control("GET", "/v1/log?event=swept&order=oldest").json.events.array
      let messages = events.compactMap(\.message.string)
      try #require(messages.count == 2, "\(events)")
      #expect(messages[0].hasPrefix("storage.main: 2 multipart uploads are aborted by a sweep"), "\(events)")
      #expect(
        messages[1].hasPrefix("storage.main: a sweep failed after it had aborted 1 multipart upload"), "\(events)")
      #expect(events[1].reason.string?.contains("AccessDenied") == true, "\(events)")
    }
  }
}
