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

  @Test func oneAnswerCoversAllHosts() async throws {
    try await withFleet(2, faults: Self.refusing) { rig in
      try await Self.questions(rig, 30)
      // the counts come with the next heartbeat
      let status = try await until("the counts") {
        let status = try await rig.fleet("status")
        return status.output.contains("Jobs   60 need you\n") ? status : nil
      }
      #expect(status.status == 0 && status.output.contains("waybill-fleet ask\n"), "\(status)")
      #expect(status.output.contains(/host1 +well/) && status.output.contains(/host2 +well/), "\(status)")
      #expect(try await rig.fleet("confirm", "--all").status == 64)
      try await rig.sandbox.recover()
      let answer = try await rig.fleet("confirm", "--all", "--yes", "--wait", "600")
      #expect(answer.status == 0 && answer.output.contains("60 of 60 done"), "\(answer)")
      for host in rig.hosts {
        try await until("all to be registered") { try await host.daemon.count("registered") == 30 }
        let person = try await host.daemon.job(1).history.array.last { $0.event == "confirmed" }?.by_user.string
        #expect(person?.hasSuffix(" (fleet, role anna)") == true, "\(person ?? "nobody")")
      }
      try await rig.untilExact()
    }
  }

  /// Each job is answered on its host and over the fleet at once: one wins, and the other is told.
  @Test func oneOfRacingAnswersWins() async throws {
    try await withFleet(1, faults: Self.refusing) { rig in
      try await Self.questions(rig, FleetSize.races)
      let host = rig.hosts[0]
      async let elsewhere = rig.fleet("cancel", "--all", "--yes", "--wait", "600", "--json")
      var local = 0
      for job in try await host.daemon.jobs().reversed() {
        let answer = try await host.daemon.control(
          "POST", "/v1/jobs/\(job.job.int ?? 0)/cancel", body: "{\"revision\":\(job.revision.int ?? 0)}")
        #expect(answer.status == 200 || answer.status == 409)
        if answer.status == 200 { local += 1 }
      }
      let told = try await JSONValue(parsing: elsewhere.output).outcomes
      let (done, changed) = (told.done.int ?? 0, told.changed.int ?? 0)
      // a job that the mirror shows as cancelled already is not asked about
      #expect(
        done == FleetSize.races - local && done + changed <= FleetSize.races && told.members.count <= 2,
        "\(told), \(local) here")
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
      try await Self.questions(rig, 2)
      #expect(try await rig.fleet("cancel", "host1/1").status == 0)
      // as after a kill between the act and the note of it
      _ = try await rig.sql("UPDATE waybill.command SET outcome = NULL, words = NULL, done_at = NULL")
      try await until("the outcome to be noted again") {
        try await rig.sql("SELECT outcome FROM waybill.command") == "done\n"
      }
      let cancels = try await host.daemon.job(1).history.array.filter { $0.event == "cancelled" }
      #expect(cancels.count == 1)
      try await rig.untilExact()
      let refused = try await rig.fleet("discard", "host1/1")
      #expect(refused.status == 1 && refused.output.contains("1 refused"), "\(refused)")
      #expect(refused.errors.contains("discard is not allowed from elsewhere on this host"), "\(refused)")
      #expect(try await rig.fleet("cancel", "host1/99").status == 1)
      // the host is away while it is asked, and the time is over when it is back
      try await host.killAgent()
      let pending = try await rig.fleet("cancel", "host1/2", "--wait", "1")
      #expect(pending.status == 75 && pending.output.contains("0 of 1 done"), "\(pending)")
      _ = try await rig.sql("UPDATE waybill.command SET expires_at = now() WHERE outcome IS NULL")
      try host.startAgent()
      try await until("the command to expire") {
        try await rig.sql("SELECT outcome FROM waybill.command ORDER BY id DESC LIMIT 1") == "expired\n"
      }
      #expect(try await host.daemon.job(2).state == "awaiting-confirmation")
      // a copied disk has the same ledger, but not the same /run
      let other = rig.folder.appending(path: "other")
      try FileManager.default.createDirectory(at: other, withIntermediateDirectories: true)
      let second = try host.startAgent(runtime: other)
      defer { second.cut() }
      try await until("the second to be refused") { second.errorText.contains("was this machine's disk copied?") }
      // the first one's own restart is not refused
      try await host.killAgent()
      try host.startAgent()
      try host.drop("a.pdf")
      try await host.daemon.job(named: "a.pdf", in: "awaiting-confirmation")
      try await rig.untilExact()
    }
  }

  @Test func silentHostAlarmsAndCatchesUp() async throws {
    try await withFleet(2, faults: Self.refusing) { rig in
      try await Self.questions(rig, 1)
      try await rig.hosts[1].killAgent()
      try await until("the alarm") {
        try await rig.fleet("status").output.contains("! host2 was not heard of since")
      }
      #expect(try await rig.fleet("list").output.contains("host2/1 ?"))
      // Whether the first host is done within the wait depends on the machine.
      let asked = try await rig.fleet("cancel", "--all", "--wait", "1")
      #expect(asked.status == 75, "\(asked)")
      #expect(asked.output.contains(/[01] of 2 done/) && asked.output.contains("host2 not heard of since"), "\(asked)")
      try await until("the first host to have done it") {
        try await rig.fleet("requests").output.contains("1 of 2 done")
      }
      try rig.hosts[1].startAgent()
      try await until("it to be done") { try await rig.hosts[1].daemon.count("cancelled") == 1 }
      try await rig.untilExact()
      #expect(try await rig.fleet("pause", "backend.main").status == 0)
      for host in rig.hosts {
        #expect(try await host.daemon.status().pauses.array.first?.destination == "backend.main")
      }
      #expect(try await rig.fleet("resume", "backend.main").status == 0)
      #expect(try await rig.hosts[1].stopAgent() == .exit(0))
      #expect(try await rig.fleet("forget", "host2").status == 0)
      #expect(try await rig.sql("SELECT count(*) FROM waybill.job") == "1\n")
    }
  }

  @Test func onlyFleetProgramLinksLibpq() async throws {
    for program in [Products.daemon, Products.command] {
      #expect(try await !Command.require(["ldd", program]).contains("libpq"))
    }
    #expect(try await Command.require(["ldd", Products.fleet]).contains("libpq"))
  }
}
