import ChildProcesses
import Foundation
import Testing

@testable import Harness

/// What the fleet's page lets go on or pauses: the hosts that were shown, and no others.
@Suite(.slot, .needs(.postgreSQL))
struct FleetPageHoldTests {
  private static func asked(_ server: PostgreSQLServer) async throws -> String {
    try await server.sql(
      "SELECT action, arguments->>'target', name FROM waybill.command JOIN waybill.host USING (ledger) ORDER BY command.id"
    ).output
  }

  /// The form behind a link of the page.
  private static func shown(_ page: FleetPage, _ link: String) async throws -> (form: String, body: String) {
    let body = try await page.call("GET", "/answer?" + link).body
    let form = body.matches(of: /<input type="hidden" name="([a-z]+)" value="([^"]*)">/).map { "\($0.1)=\($0.2)" }
    return (form.joined(separator: "&"), body)
  }

  private static func gate(_ host: Int, _ destination: String, kind: String = "gate", reason: String = "network")
    -> String
  {
    """
    INSERT INTO waybill.gate (ledger, owner, kind, destination, reason)
    VALUES ('\(Fleet200.ledger(host))', 'one', '\(kind)', '\(destination)', '\(reason)');
    """
  }

  /// A host that says that everything is on hold there leads nobody to end what people have paused on other hosts.
  @Test func resumeReachesOnlyChosenHolds() async throws {
    try await FleetPageGuardTests.withHost { folder, server in
      let rows =
        Fleet200.host(2) + Fleet200.host(3) + Self.gate(1, "all") + Self.gate(2, "all", kind: "pause", reason: "paused")
        + Self.gate(3, "all", kind: "pause", reason: "paused")
      #expect(try await server.sql(rows).status == 0)
      let page = try await FleetPage(in: folder, database: server.database("anna"), lines: ["user = \"anna\""])
      defer { page.cut() }
      let overview = try await page.call("GET", "/").body
      let links = overview.matches(of: /href="\/answer\?([^"]*action=resume[^"]*)"/).map {
        String($0.1).replacing("&amp;", with: "&")
      }
      #expect(links.count == 2, "\(links)")
      let gates = try #require(links.first { $0.contains("hold=gate") })
      let (form, body) = try await Self.shown(page, gates)
      #expect(body.contains("Resume all? Hosts: 1"), "\(body)")
      // without what was shown nothing is done; and not after the hosts have become others
      let bare = form.split(separator: "&").filter { !$0.hasPrefix("digest=") }.joined(separator: "&")
      #expect(try await page.send(bare).status == 400)
      #expect(try await page.send("action=resume&target=all").status == 400)
      #expect(try await server.sql(Self.gate(2, "all")).status == 0)
      let changed = try await page.send(form)
      #expect(changed.status == 409 && changed.body.contains("Resume all? Hosts: 2"), "\(changed)")
      #expect(try await Self.asked(server) == "")
      #expect(
        try await server.sql("DELETE FROM waybill.gate WHERE kind = 'gate' AND ledger = '\(Fleet200.ledger(2))'").status
          == 0)
      #expect(try await page.send(form).status == 303)
      #expect(try await Self.asked(server) == "resume|all|scanner-1\n")
      let pauses = try await Self.shown(page, try #require(links.first { $0.contains("hold=pause") }))
      #expect(try await page.send(pauses.form).status == 303)
      #expect(try await Self.asked(server) == "resume|all|scanner-1\nresume|all|scanner-2\nresume|all|scanner-3\n")
    }
  }

  /// A pause, and an answer to a group, reach the hosts that were shown to allow it: a host that allows more than it did brings no jobs
  /// along that were not counted in what was shown.
  @Test func answersReachOnlyHostsShownToAllowThem() async throws {
    try await FleetPageGuardTests.withHost { folder, server in
      #expect(try await server.sql(Fleet200.host(2, allow: "cancel")).status == 0)
      let page = try await FleetPage(in: folder, database: server.database("anna"), lines: ["user = \"anna\""])
      defer { page.cut() }
      let pause = try await Self.shown(page, "action=pause&target=all")
      #expect(pause.body.contains("Pause all? Hosts: 1"), "\(pause.body)")
      #expect(try await server.sql(Fleet200.host(3)).status == 0)
      #expect(try await page.send(pause.form).status == 409)
      #expect(try await page.send(Self.shown(page, "action=pause&target=all").form).status == 303)
      #expect(try await Self.asked(server) == "pause|all|scanner-1\npause|all|scanner-3\n")

      let rows = Fleet200.job(2, 1, name: "b.pdf", reason: "number is taken")
      #expect(try await server.sql("DELETE FROM waybill.command; UPDATE waybill.host SET allow = 'retry'").status == 0)
      #expect(
        try await server.sql(rows + "UPDATE waybill.host SET allow = 'cancel' WHERE name = 'scanner-1'").status == 0)
      let link = "action=cancel&group=\(Fleet200.ledger(1))/1"
      let cancel = try await Self.shown(page, link)
      #expect(cancel.body.contains("Cancel? Jobs: 1"), "\(cancel.body)")
      #expect(try await server.sql("UPDATE waybill.host SET allow = 'cancel'").status == 0)
      #expect(try await page.send(cancel.form).status == 409)
      #expect(try await Self.asked(server) == "")
      #expect(try await page.send(Self.shown(page, link).form).status == 303)
      #expect(try await server.sql("SELECT count(*) FROM waybill.command").output == "2\n")
    }
  }
}
