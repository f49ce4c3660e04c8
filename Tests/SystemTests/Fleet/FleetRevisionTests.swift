import ChildProcesses
import Foundation
import Testing

@testable import Harness

/// A command is for the revision that its person saw, and for no later one.
@Suite(.slot, .needs(.postgreSQL))
struct FleetRevisionTests {
  /// The question is the same one to look at, but it was asked anew: somebody on the host has tried again meanwhile.
  @Test func staleAnswerMissesLaterQuestion() async throws {
    try await withFleet(1, faults: FleetTests.refusing) { rig in
      let host = rig.hosts[0]
      func asksAgain(after revision: Int) async throws -> Int {
        try await until("the question to be asked anew") {
          let job = try await host.daemon.job(1)
          guard let now = job.revision.int, now > revision else { return nil }
          return job.state == "awaiting-confirmation" ? now : nil
        }
      }
      try await FleetTests.questions(rig, 1)
      var revision = try await host.daemon.job(1).revision.int ?? 0
      // the same person has confirmed it before: that was another command
      #expect(try await rig.fleet("confirm", "host1/1").status == 0)
      revision = try await asksAgain(after: revision)
      try await rig.untilExact()
      try await host.killAgent()
      #expect(try await host.daemon.waybill("confirm", "1").status == 0)
      revision = try await asksAgain(after: revision)
      for action in ["confirm", "cancel"] {
        #expect(try await rig.fleet(action, "host1/1", "--wait", "0").status == 75, "\(action)")
      }
      try host.startAgent()
      try await until("both to have an outcome") {
        try await rig.sql("SELECT count(*) FROM waybill.command WHERE outcome IS NULL") == "0\n"
      }
      let outcomes = try await rig.sql("SELECT action, outcome FROM waybill.command ORDER BY id")
      #expect(outcomes == "confirm|done\nconfirm|changed\ncancel|changed\n", "\(outcomes)")
      let job = try await host.daemon.job(1)
      #expect(job.state == "awaiting-confirmation" && job.revision.int == revision, "\(job)")
    }
  }
}
