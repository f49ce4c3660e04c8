import ChildProcesses
import Foundation
import Testing

@testable import Harness

/// A cleanup while storage and daemon come and go, and when nobody remembers its job any more.
@Suite(.slot)
struct RemoteTroubleTests {
  /// libcurl repeats a request by itself if a kept connection ends without an answer. What the repetition is told says nothing of the first.
  @Test(arguments: [400, 403, 409, 422])
  func refusedRepetitionLeavesNoUnknownObject(status: Double) async throws {
    try await withRig({ $0.delays = [] }) { rig in
      try await rig.drop("first.pdf", until: "registered")
      try await rig.sandbox.fail(["upload": ["statuses": ["cut-after", .number(status)]]])
      try rig.drop("a.pdf")
      try await until("a.pdf to stop") {
        ["aborted", "awaiting-confirmation"].contains(try await rig.daemon.newestJob(named: "a.pdf")?.state.string)
      }
      try #require(try await rig.sandbox.objects().count == 2)
      #expect(try await rig.sandbox.count("upload") == 3, "one of each file, and the repetition")
      #expect(try await rig.daemon.waybill("cancel", "2").status == 0)
      try await until("the cleanup to end") { try await rig.daemon.job(2).remote != "pending" }
      #expect(try await rig.daemon.job(2).remote == "object-left")
    }
  }

  /// One of a group's objects may not be deleted. The others are gone by then, so the retry has to send them again.
  @Test func retriedGroupSendsWhatWasDeleted() async throws {
    try await withRig(faults: ["register": ["status": 422]], { Groups.adjust(&$0) }) { rig in
      let files = try Groups.drop(rig, "run")
      try await rig.daemon.job(named: "run", in: "awaiting-confirmation")
      let refused: JSONValue = ["statuses": [200, 403, 200], "code": "AccessDenied"]
      try await rig.sandbox.fail(["delete": refused])
      #expect(try await rig.daemon.waybill("cancel", "1", "--remove").status == 0)
      try await until("one to be left") { try await rig.daemon.job(1).remote == "object-left" }
      #expect(try await rig.sandbox.objects().count == 1, "the refusal of one does not keep the others")
      try await rig.sandbox.recover()
      #expect(try await rig.daemon.waybill("retry", "1").status == 0)
      let job = try await rig.daemon.job(named: "run", in: "registered")
      let objects = try await rig.sandbox.objects()
      for (path, data) in files {
        #expect(objects[(job.key.string ?? "") + path]?.sha256.string == (try await Bytes.sha256(data)), "\(path)")
      }
    }
  }
}
