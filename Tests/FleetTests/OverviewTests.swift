import ControlAPI
import Foundation
import Jobs
import MessageLiterals
import Messages
import Testing

@testable import Fleet

/// The first page of the fleet, by its hosts.
struct OverviewTests {
  private static let silence = ProblemMessage(
    what: .nothingHasCome(spool: "scans", time: .seconds(60), every: .seconds(30)),
    since: MessageTime(.init(seconds: 1)),
    remedy: .seeTheSender)
  private static let fault = ProblemMessage(what: "the disk is full", since: MessageTime(.init(seconds: 1)), remedy: "")

  private func host(_ problems: [ProblemMessage], trouble: String? = nil) -> FleetHost {
    FleetHost(
      ledger: "l", name: "host1", version: "1", applied: 0, lag: 0, counts: [:], trouble: trouble, problems: problems,
      allow: [], oldestAge: nil, seenAt: "2026-01-01T00:00:00Z", silence: 0, isSilent: false)
  }

  private func page(_ host: FleetHost) -> String {
    Overview(hosts: [host], holds: [], groups: []).markup(for: .person("anna")).html
  }

  /// The section of the page, from its id to its end.
  private func section(_ id: String, of page: String) -> Substring {
    guard let start = page.range(of: "<section id=\"\(id)\"") else { return "" }
    let rest = page[start.lowerBound...]
    return rest[..<(rest.range(of: "</section>")?.lowerBound ?? rest.endIndex)]
  }

  @Test(arguments: [silence, silence.withoutNames])
  func silentSpoolLeavesHostWell(problem: ProblemMessage) {
    let page = page(host([problem]))
    #expect(page.contains(">well<") && !page.contains(">trouble<"))
    #expect(page.contains("class=\"warn\"") && page.contains("silent spools: 1") && !page.contains("1 in trouble"))
    #expect(!section("problems", of: page).contains("nothing has come"))
    #expect(section("silences", of: page).contains("nothing has come into spool"))
  }

  @Test func problemIsTrouble() {
    let page = page(host([Self.silence, Self.fault]))
    #expect(page.contains(">trouble<") && page.contains("1 in trouble") && page.contains("class=\"bad\""))
    #expect(section("problems", of: page).contains("the disk is full"))
    #expect(!section("silences", of: page).contains("the disk is full"))
    #expect(self.page(host([], trouble: "it does not answer")).contains(">trouble<"))
  }
}
