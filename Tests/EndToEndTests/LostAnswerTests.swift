import ChildProcesses
import Foundation
import Testing

@testable import Harness

/// The server did what was asked, but its answer never came.
@Suite(.slot)
struct LostAnswerTests {
  @Test(arguments: ["cut-after", "cut-mid"])
  func headSettlesLostUploadAnswer(cut: String) async throws {
    try await withRig(faults: ["upload": ["statuses": [.string(cut)]]], { $0.delays = ["50ms", "50ms"] }) { rig in
      let job = try await rig.drop("a.pdf", until: "registered")
      // Whether asked first or after a 412: it was HEAD that told, and no second PUT was taken.
      #expect(try await rig.sandbox.count("head") >= 1)
      #expect(try await rig.sandbox.recorded("upload").filter { $0.status == 200 }.isEmpty)
      #expect(try await rig.sandbox.objects().count == 1)
      #expect(try rig.sandbox.registrations().map(\.body.id) == [job.id])
      #expect(!job.history.array.contains { $0.event == "question" })
    }
  }

  @Test func lostRegistrationAnswerCountsOnce() async throws {
    try await withRig(faults: ["register": ["statuses": ["cut-after"]]], { $0.delays = ["50ms"] }) { rig in
      try await rig.drop("a.pdf", until: "registered")
      let registrations = try await rig.sandbox.state().registrations
      #expect(registrations.lines == 1)
      #expect(registrations.replayed == 1)
      #expect(try await rig.sandbox.count("upload") == 1)
    }
  }

  /// The backend knows the job's key by then, and refuses another body under it.
  @Test func reuploadedLostRegistrationCountsOnce() async throws {
    let lost: JSONValue = .array(Array(repeating: "cut-after", count: 9))
    try await withRig(faults: ["register": ["statuses": lost]], { $0.delays = ["50ms"] }) { rig in
      try await rig.drop("a.pdf", until: "awaiting-confirmation")
      #expect(try await rig.daemon.waybill("cancel", "1", "--remove").status == 0)
      try await until("the object to be removed") { try await rig.daemon.job(1).remote == "clean" }
      let cancelled = try await rig.daemon.job(1)
      #expect(cancelled.link.isNull && cancelled.receipts.upload.isNull && cancelled.step == "upload")
      try await rig.sandbox.recover()
      #expect(try await rig.daemon.waybill("retry", "1").status == 0)
      try await until("a.pdf to be registered") { try await rig.daemon.job(1).state == "registered" }
      let registrations = try await rig.sandbox.state().registrations
      #expect(registrations.lines == 1 && registrations.mismatched == 0)
      #expect(try await rig.sandbox.count("upload") == 2)
    }
  }
}
