import ChildProcesses
import Foundation
import Testing

@testable import Harness

/// What the daemon does for a fleet: it names its ledger, tells all that changes, and lets one user act for other people.
@Suite(.slot)
struct FleetDaemonTests {
  private static func questions(_ rig: Rig, _ count: Int) async throws -> [JSONValue] {
    for number in 0..<count { try rig.drop("q\(number).pdf") }
    try await until("\(count) questions") { try await rig.daemon.count("awaiting-confirmation") == count }
    return try await rig.daemon.jobs()
  }

  private static let refusing: JSONValue = ["register": ["status": 422]]

  private static func call(
    _ rig: Rig, _ path: String, as person: String, role: String? = nil, body: String? = nil, method: String = "POST"
  ) async throws -> HTTPAnswer {
    try await HTTPAnswer.call(
      method, "http://localhost" + path, body: body,
      options: ["--unix-socket", rig.daemon.socket, "-H", "Waybill-On-Behalf-Of: \(person)"]
        + (role.map { ["-H", "Waybill-On-Behalf-Role: \($0)"] } ?? []))
  }

  @Test func fleetUserActsForRecordedPerson() async throws {
    let user = try await OwnUser.name
    try await withRig(faults: Self.refusing, { $0.daemonLines = ["fleet_user = \"\(user)\""] }) { rig in
      let jobs = try await Self.questions(rig, 2)
      let (first, second) = (jobs[0].job.int ?? 0, jobs[1].job.int ?? 0)
      let answer = try await Self.call(rig, "/v1/jobs/\(first)/cancel", as: "anna")
      #expect(answer.status == 200 && answer.body.contains("cancelled by anna (fleet)"), "\(answer.body)")
      let last = try await rig.daemon.job(first).history.array.last
      #expect(last?.by_user.string == "anna (fleet)")
      #expect(last?.by_uid.int == Int(getuid()))
      let late = try await Self.call(rig, "/v1/jobs/\(first)/confirm", as: "berta", role: "ops")
      #expect(late.status == 409)
      #expect(try late.json.last_change.by.user.string == "anna (fleet)")
      // the role stands beside the person, and no name can be taken for the two
      let role = try await Self.call(rig, "/v1/jobs/\(first)/retry", as: "berta", role: "ops")
      #expect(role.status == 200)
      let retried = try await rig.daemon.job(first).history.array.last { $0.event == "retried" }
      #expect(retried?.by_user.string == "berta (fleet, role ops)")
      for (name, role) in [("x (fleet, role boss)", "ops"), ("x", "a)"), ("x", String(repeating: "r", count: 64))] {
        #expect(try await Self.call(rig, "/v1/jobs/\(second)/cancel", as: name, role: role).status == 400)
      }
      for name in ["", "a,b", String(repeating: "x", count: 129)] {
        #expect(try await Self.call(rig, "/v1/jobs/\(second)/cancel", as: name).status == (name.isEmpty ? 200 : 400))
      }
    }
  }

  @Test(arguments: ["", "fleet_user = \"daemon\""])
  func otherUsersMayNotImpersonate(line: String) async throws {
    try await withRig(faults: Self.refusing, { $0.daemonLines = [line] }) { rig in
      let job = try await Self.questions(rig, 1)[0].job.int ?? 0
      for (method, path) in [("POST", "/v1/jobs/\(job)/cancel"), ("POST", "/v1/pause"), ("GET", "/v1/status")] {
        let answer = try await Self.call(rig, path, as: "anna", method: method)
        #expect(answer.status == 403)
        #expect(try answer.json.detail.string?.contains("[daemon] fleet_user") == true, "\(answer.body)")
      }
      #expect(try await rig.daemon.job(job).state == "awaiting-confirmation")
      #expect(try await rig.daemon.status().pauses.array.isEmpty)
    }
  }

  /// Some events are only in the log, and come with no change of a job. A reader that waits is told of them too.
  @Test func entryOfLogAloneEndsLongPoll() async throws {
    try await withRig { rig in
      let begin = ContinuousClock.now
      let first = try await rig.daemon.control("GET", "/v1/changes").json
      let place = "after=\(first.up_to.int ?? 0)&seen=\(percentEncoded(first.seen.string ?? ""))"
      let reader = try ChildProcess([
        "curl", "-q", "-sSv", "--noproxy", "*", "--unix-socket", rig.daemon.socket,
        "http://localhost/v1/changes?\(place)&wait=20",
      ])
      try await until("the request to be sent") { reader.errorText.contains("> GET /v1/changes") }
      #expect(try await rig.daemon.waybill("reload").status == 0)
      #expect(try await reader.end() == .exit(0))
      #expect(ContinuousClock.now - begin < .seconds(20))
      let events = try JSONValue(parsing: reader.outputText).events.array
      #expect(events.map(\.event.string) == ["reloaded"], "\(reader.outputText)")
    }
  }

  /// The paths of all jobs of a spool change with its directory, and no job changes. So a copy has to read all of them, and only then.
  @Test func movedSpoolMakesCopyReadAll() async throws {
    try await withRig(faults: Self.refusing) { rig in
      let before = try await Self.questions(rig, 1)[0].path.string ?? ""
      var place = ""
      func follow() async throws -> Bool {
        let answer = try await rig.daemon.control("GET", "/v1/changes?\(place)").json
        place = "after=\(answer.up_to.int ?? 0)&seen=\(percentEncoded(answer.seen.string ?? ""))"
        return answer["all"] == true
      }
      #expect(try await follow())
      try await rig.reload { $0.daemonLines = ["history = \"1d\""] }
      #expect(try await !follow())
      let moved = rig.setup.folder.appending(path: "moved")
      try FileManager.default.moveItem(at: rig.setup.spool, to: moved)
      try await rig.reload { $0.spoolFolder = moved }
      #expect(try await follow())
      let after = try await rig.daemon.jobs()[0].path.string ?? ""
      #expect(after != before && after.hasPrefix(moved.path + "/"), "\(before), \(after)")
      #expect(try await !follow())
    }
  }
}
