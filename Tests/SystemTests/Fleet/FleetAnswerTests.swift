import ChildProcesses
import Foundation
import Linux
import Seams
import Testing

@testable import Harness

/// One answer for very many questions, also with agents that die while they carry it out.
@Suite(.slot, .needs(.postgreSQL))
struct FleetAnswerTests {
  /// Refusals of three kinds, so that the questions of each host are of three groups.
  private static let threeReasons: JSONValue = [
    "register": ["statuses": .array((0..<4000).map { .number([422, 410, 400][$0 % 3]) })]
  ]

  @Test func oneCommandAnswersManyHosts() async throws {
    let each = FleetSize.questions / 8
    try await withFleet(8, faults: Self.threeReasons) { rig in
      try await FleetTests.questions(rig, each)
      let page = try await FleetPage(rig, lines: ["peer = true"], socket: true)
      try await rig.sandbox.recover()
      let list = try await page.waybill(["list", "--by", "reason", "--json"])
      let groups = try JSONValue(parsing: list.output).groups.array
      let counts = groups.compactMap(\.count.int)
      #expect(list.status == 0 && counts.count == 3 && counts.reduce(0, +) == each * 8, "\(list)")
      // one answer for the first group, and one for the others
      let first = try #require(groups.first)
      let answer = try await page.waybill(["confirm", "--group", "\(first.group.int ?? 0)", "--yes"])
      #expect(answer.status == 0, "\(answer)")
      #expect(try await page.waybill(["confirm", "--all"]).status == 64, "without a terminal it asks nobody")
      try await until("the first group to be answered") { try await rig.sql(Self.open) == "0\n" }
      #expect(try await rig.sql("SELECT count(*) FROM waybill.command") == "\(counts[0])\n")
      try await rig.untilExact()
      let rest = try await page.waybill(["confirm", "--all", "--yes"])
      #expect(rest.status == 0, "\(rest)")
      for host in rig.hosts {
        try await until("all of \(host.name) to be registered") {
          try await host.daemon.count("registered") == each
        }
      }
      try await rig.untilExact()
      // each question had one answer, by a person
      let answers = try await rig.sql(
        "SELECT count(*), count(DISTINCT (ledger, job)) FROM waybill.event WHERE event = 'confirmed' AND \(Self.byAnna)"
      )
      #expect(answers == "\(each * 8)|\(each * 8)\n", "\(answers)")
    }
  }

  /// Wherever an agent ends while it carries out commands, each of them is carried out once, and the asker reads so.
  @Test(.needs(.failpoints)) func agentCrashRunsEachCommandOnce() async throws {
    let count = 5
    let points: [(Failpoint, Int)] = Failpoint.ofAgent.map { ($0, 1) } + [(.agentCarriedOut, 3)]
    try await withFleet(1, faults: FleetTests.refusing) { rig in
      let host = rig.hosts[0]
      var all = 0
      for (point, turn) in points {
        for number in 0..<count { try host.drop("\(point)-\(turn)-\(number).pdf") }
        try await until("the questions") { try await host.daemon.count("awaiting-confirmation") == count }
        try await rig.untilExact()
        try await host.killAgent()
        _ = try await rig.server.ask("cancel", where: "job.state = 'awaiting-confirmation'")
        try host.startAgent(dying: point.variable(turn: turn))
        try await host.agentDies(at: point)
        try host.startAgent()
        try await until("all to be carried out") { try await rig.sql(Self.open) == "0\n" }
        all += count
        let outcomes = try await rig.sql("SELECT outcome, count(*) FROM waybill.command GROUP BY 1")
        #expect(outcomes == "done|\(all)\n", "\(point) \(turn)")
        try await rig.untilExact()
        #expect(try await host.daemon.count("cancelled") == all)
        try await Self.expectOneCancelEach(rig, all)
      }
    }
  }

  private static let byAnna = "doc #>> '{by,user}' LIKE '% (fleet, role anna)'"
  private static let open = "SELECT count(*) FROM waybill.command WHERE outcome IS NULL"

  private static func expectOneCancelEach(_ rig: FleetRig, _ count: Int) async throws {
    let acts = try await rig.sql(
      "SELECT count(*), count(DISTINCT job) FROM waybill.event WHERE event = 'cancelled' AND \(byAnna)")
    #expect(acts == "\(count)|\(count)\n")
  }
}
