import ChildProcesses
import LoopbackPeer
import Synchronization
import Testing

@testable import Harness

/// A storage in whose place something else answers one day, as S3 does, and keeps nothing: the first file after a moment at which
/// that can have happened is not removed.
@Suite(.slot)
struct ChangedStorageTests {
  enum Moment: CaseIterable { case reload, pause, trouble, restart }
  private enum Mode { case keeps, isDown, swallows }

  @Test(arguments: Moment.allCases)
  func verifiesFirstObjectAfterPossibleSwitch(_ moment: Moment) async throws {
    let mode = Mutex(Mode.keeps)
    let storage = KeepingStorage()
    let peer = try LoopbackPeer { request in
      switch mode.withLock({ $0 }) {
      case .keeps: storage.reply(request)
      case .isDown: .answer(503)
      case .swallows: request.method == "HEAD" ? .answer(404) : .answer(200, ["ETag": "\"e\""])
      }
    }
    try await withRig({ $0.storage.endpoint = peer.url }) { rig in
      for name in ["1.pdf", "2.pdf"] { try await rig.drop(name, until: "registered") }
      #expect(peer.requests.map(\.method) == ["PUT", "HEAD", "PUT"], "the second answer counts by itself")
      switch moment {
      case .reload: #expect(try await rig.daemon.waybill("reload").status == 0)
      case .pause:
        #expect(try await rig.daemon.waybill("pause", "--storage", "main").status == 0)
        #expect(try await rig.daemon.waybill("resume", "--storage", "main").status == 0)
      case .trouble:
        mode.withLock { $0 = .isDown }
        try await rig.drop("down.pdf", until: "aborted")
      case .restart:
        #expect(try await rig.daemon.stop() == .exit(0))
        try await rig.daemon.start()
      }
      mode.withLock { $0 = .swallows }
      try rig.drop("3.pdf")
      if moment == .trouble {
        try await until("3.pdf to be held") { try await rig.daemon.jobs().last?.held_by.reason == "unavailable" }
        #expect(try await rig.daemon.waybill("resume", "--storage", "main").status == 0)
      }
      let job = try await rig.daemon.job(named: "3.pdf", in: "awaiting-confirmation")
      #expect(job.error.kind == "destination")
      #expect(
        job.question.string
          == "Upload of 3.pdf failed: HTTP 200 to PUT, but HEAD finds no such object: answers like a web server, not like an S3 storage. Retry?"
      )
      #expect(job.existingPath != nil)
      // The storage is back in its place: the answer to the question is the probe, and what it sends is shown.
      mode.withLock { $0 = .keeps }
      #expect(try await rig.daemon.waybill("confirm", String(job.job.int ?? 0)).status == 0)
      try await rig.daemon.job(named: "3.pdf", in: "registered")
      #expect(Array(peer.requests.suffix(2)).map(\.method) == ["PUT", "HEAD"])
    }
  }
}
