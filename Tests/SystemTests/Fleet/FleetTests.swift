import ChildProcesses
import Foundation
import Glibc
import Testing

@testable import Harness

/// Daemons, agents and a real PostgreSQL: what the fleet's tables say, and what people do with them.
@Suite(.slot, .needs(.postgreSQL))
struct FleetTests {
  static let refusing: JSONValue = ["register": ["status": 422]]

  static func questions(_ rig: FleetRig, _ count: Int) async throws {
    for host in rig.hosts { for number in 0..<count { try host.drop("q\(number).pdf") } }
    for host in rig.hosts {
      try await until("questions of \(host.name)") {
        try await host.daemon.count("awaiting-confirmation") == count
      }
    }
    try await rig.untilExact()
  }

  /// Each job is answered on its host and over the fleet at once: one wins, and the other is told.
  @Test func oneOfRacingAnswersWins() async throws {
    try await withFleet(1, faults: Self.refusing) { rig in
      try await Self.questions(rig, FleetSize.races)
      let host = rig.hosts[0]
      let server = rig.server
      let elsewhere = Task { try await server.ask("cancel", where: "job.state = 'awaiting-confirmation'") }
      var local = 0
      for job in try await host.daemon.jobs().reversed() {
        let answer = try await host.daemon.control(
          "POST", "/v1/jobs/\(job.job.int ?? 0)/cancel", body: "{\"revision\":\(job.revision.int ?? 0)}")
        #expect(answer.status == 200 || answer.status == 409)
        if answer.status == 200 { local += 1 }
      }
      let asked = try await elsewhere.value
      let told = try await rig.server.outcomes(asked)
      let count = try await Int(rig.sql("SELECT count(*) FROM waybill.command").trimmingCharacters(in: .newlines)) ?? 0
      let done = FleetSize.races - local
      // a job that the mirror shows as cancelled already is not asked about
      let wanted = [(count - done, "changed"), (done, "done")].filter { $0.0 > 0 }.map { "\($0.1): \($0.0)" }
      #expect(told == wanted && count <= FleetSize.races, "\(told), \(local) here")
      var by = [false: 0, true: 0]
      for number in 1...FleetSize.races {
        let cancels = try await host.daemon.job(number).history.array.filter { $0.event == "cancelled" }
        #expect(cancels.count == 1)
        by[cancels.first?.by_user.string?.hasSuffix(" (fleet, role anna)") == true, default: 0] += 1
      }
      #expect(by == [true: done, false: local])
    }
  }

  /// Whatever becomes of a command and its agent, it is carried out once, or not at all and the asker reads why.
  @Test func commandRunsOnceOrIsRefused() async throws {
    try await withFleet(1, faults: Self.refusing) { rig in
      let host = rig.hosts[0]
      try await Self.questions(rig, 1)
      let asked = try await rig.server.ask("cancel", ["reason": "a duplicate"])
      #expect(try await rig.server.outcomes(asked) == ["done: 1"])
      // as after a kill between the act and the note of it
      _ = try await rig.sql("UPDATE waybill.command SET outcome = NULL, words = NULL, done_at = NULL")
      try await until("the outcome to be noted again") {
        try await rig.sql("SELECT outcome FROM waybill.command") == "done\n"
      }
      let cancels = try await host.daemon.job(1).history.array.filter { $0.event == "cancelled" }
      #expect(cancels.count == 1 && cancels.first?.reason == "a duplicate")
      try await rig.untilExact()
      let refused = try await rig.server.ask("discard")
      #expect(try await rig.server.outcomes(refused) == ["refused: 1"])
      let words = try await rig.sql("SELECT words FROM waybill.command WHERE \(refused)")
      #expect(words.contains("discard is not allowed from elsewhere on this host"), "\(words)")
    }
  }
}
