import ChildProcesses
import Foundation
import Testing

@testable import Harness

/// How the fleet's page and commands look whatever names and messages are.
@Suite(.slot, .needs(.postgreSQL, .browser))
struct FleetPageLooksTests {
  private static let hostile = [
    "<script>document.title='x'</script>", "\"><img src=x onerror=document.title='x'>", "'; DROP TABLE waybill.job; --",
    "</span></li></ul><h1>", "&lt;b&gt; &amp;", "{0} {1}", "\u{1B}]0;title\u{7}.pdf", "\u{202E}gpj.exe",
    "日本\u{200B}語.pdf",
    "a\\nb $1 %s", String(repeating: "wide", count: 60),
  ]

  @Test func namesAndMessagesStayText() async throws {
    try await FleetPageGuardTests.withHost { folder, server in
      var sql = ""
      for (number, text) in Self.hostile.enumerated() {
        sql += Fleet200.host(1000 + number, name: text)
        sql += Fleet200.job(1000 + number, 1, name: text, reason: text)
      }
      sql +=
        "INSERT INTO waybill.gate (ledger, owner, kind, destination, reason, since, by_user) VALUES ('\(Fleet200.ledger(1))', 'one', 'pause', 'all', 'paused', now(), '<b>eve</b>');"
      #expect(try await server.sql(sql).status == 0)
      let page = try await FleetPage(in: folder, database: server.database("anna"), lines: ["user = \"<i>anna</i>\""])
      defer { page.cut() }
      let browser = try await Browser(in: folder)
      defer { browser.cut() }
      try await browser.show(width: 1280, height: 900, dark: false)
      for number in Self.hostile.indices {
        let name = Fleet200.ledger(1000 + number) + "%2F1"
        for path in [
          "/jobs?host=\(Fleet200.ledger(1000 + number))", "/job?job=\(name)", "/answer?action=cancel&group=\(name)",
        ] {
          try await browser.open(page.origin + path)
          try await browser.holds("document.querySelector('#language') && !document.querySelector('#language').hidden")
          #expect(
            try await browser.value("document.querySelectorAll('main script, main img, main h1, i, b').length") == 0,
            "\(number) \(path)")
          #expect(try await browser.value("document.title.includes('Waybill fleet')") == true)
          let raw = try await browser.value("/[\\u001b\\u0007\\u202e\\u200b]/.test(document.body.textContent)")
          #expect(raw == false, "\(number) \(path)")
        }
      }
      // the first name, letter by letter
      try await browser.open(page.origin + "/job?job=" + Fleet200.ledger(1000) + "%2F1")
      try await browser.holds(
        "document.querySelector('#job-t')?.innerText.endsWith(\(JSONValue.string(Self.hostile[0]).description))")
      #expect(try await browser.text("#about") == "You answer as <i>anna</i>")
      for words in [["list"], ["status"], ["status", "--json"], ["list", "--json"]] {
        let answer = try await Command.run([Products.fleet] + words + ["--database", server.database("anna")])
        #expect(answer.status == 0)
        RawText.expectNone(answer, words.joined(separator: " "))
      }
    }
  }
}
