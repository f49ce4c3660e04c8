import ChildProcesses
import Foundation
import Testing

@testable import Harness

/// A cancel from the fleet's page that deletes what is stored too.
@Suite(.slot, .needs(.postgreSQL))
struct FleetPageRemovalTests {
  private static let (one, two) = (Fleet200.ledger(1), Fleet200.ledger(2))
  private static let box = "<input name=\"remove\" type=\"checkbox\""

  /// Two hosts with a question each, of one kind; the second allows it.
  private static func withHosts(_ body: (FleetPage, PostgreSQLServer) async throws -> Void) async throws {
    try await FleetPageGuardTests.withHost { folder, server in
      let sql =
        Fleet200.host(2, allow: "cancel,confirm,remove") + Fleet200.job(2, 1, name: "b.pdf", reason: "number is taken")
      #expect(try await server.sql(sql).status == 0)
      let page = try await FleetPage(in: folder, database: server.database("anna"), lines: ["user = \"anna\""])
      defer { page.cut() }
      try await body(page, server)
    }
  }

  private static func asked(_ server: PostgreSQLServer) async throws -> String {
    let rows = try await server.sql(
      "SELECT ledger, action, coalesce(arguments->>'remove', '-') FROM waybill.command ORDER BY id"
    ).output
    #expect(try await server.sql("DELETE FROM waybill.command").status == 0)
    return rows.replacing(one, with: "one").replacing(two, with: "two")
  }

  @Test func removalReachesOnlyAllowingHosts() async throws {
    try await Self.withHosts { page, server in
      let group = try await page.call("GET", "/answer?action=cancel&group=\(Self.one)%2F1").body
      #expect(group.contains(Self.box) && group.contains("only 1 of them"), "\(group)")
      let allowed = try await page.call("GET", "/answer?action=cancel&job=\(Self.two)%2F1&revision=3").body
      #expect(allowed.contains(Self.box) && !allowed.contains("of them: the hosts"), "\(allowed)")
      for path in [
        "action=cancel&job=\(Self.one)%2F1&revision=3", "action=confirm&group=\(Self.two)%2F1",
        "action=confirm&job=\(Self.two)%2F1&revision=3", "action=pause&target=all",
      ] {
        let other = try await page.call("GET", "/answer?" + path)
        #expect(other.status == 200 && !other.body.contains("name=\"remove\""), "\(path)")
      }

      #expect(try await page.sendShown("action=cancel&group=\(Self.one)%2F1&remove=1").status == 303)
      #expect(try await Self.asked(server) == "two|cancel|true\n", "the host that does not allow it is left out")
      #expect(page.journal.contains("anna asks for cancel with removal: 1 commands"))
      #expect(try await page.sendShown("action=cancel&group=\(Self.one)%2F1").status == 303)
      #expect(try await Self.asked(server) == "one|cancel|-\ntwo|cancel|-\n", "without the box nothing is deleted")
      #expect(try await page.send("action=cancel&job=\(Self.two)%2F1&revision=3&remove=1").status == 303)
      #expect(try await Self.asked(server) == "two|cancel|true\n")
      #expect(try await page.send("action=cancel&job=\(Self.one)%2F1&revision=3&remove=1").status == 409)
      #expect(try await page.send("action=confirm&job=\(Self.two)%2F1&revision=3&remove=1").status == 303)
      #expect(try await Self.asked(server) == "two|confirm|-\n")

      // the revision is the one that the person saw, not what the database shows by now
      #expect(try await page.send("action=cancel&job=\(Self.two)%2F1&revision=2").status == 303)
      #expect(try await server.sql("SELECT revision FROM waybill.command").output == "2\n")
      _ = try await Self.asked(server)

      // to delete is an addition to a cancel, and alone it allows nothing
      #expect(try await server.sql("UPDATE waybill.host SET allow = 'remove,retry'").status == 0)
      let bare = try await page.call("GET", "/answer?action=cancel&group=\(Self.two)%2F1").body
      #expect(!bare.contains("name=\"remove\""), "\(bare)")
      #expect(try await page.sendShown("action=cancel&group=\(Self.two)%2F1&remove=1").status == 409)
      #expect(try await Self.asked(server) == "")
    }
  }
}
