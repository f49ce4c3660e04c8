import ChildProcesses
import Foundation
import Testing

@testable import Harness

/// How the fleet's page and commands look with much to show, to everybody, and whatever names and messages are.
@Suite(.slot, .needs(.postgreSQL, .browser, .tmux))
struct FleetPageLooksTests {
  private static let hostile = [
    "<script>document.title='x'</script>", "\"><img src=x onerror=document.title='x'>", "'; DROP TABLE waybill.job; --",
    "</span></li></ul><h1>", "&lt;b&gt; &amp;", "{0} {1}", "\u{1B}]0;title\u{7}.pdf", "\u{202E}gpj.exe",
    "日本\u{200B}語.pdf",
    "a\\nb $1 %s", String(repeating: "wide", count: 60),
  ]

  /// 200 hosts, five of them silent, with questions of more kinds than a page shows.
  private static func withMany(_ body: (URL, PostgreSQLServer) async throws -> Void) async throws {
    try await FleetPageGuardTests.withHost { folder, server in
      var sql = ""
      for number in 2...200 {
        // a cancel of its group is asked with the box about stored objects, which some hosts of the group allow
        let more = number == 5 ? ",remove" : ""
        sql += Fleet200.host(number, silent: number % 40 == 0, allow: "cancel,confirm,pause,retry" + more)
      }
      for number in 2...200 {
        for kind in 0..<3 {
          sql += Fleet200.job(
            number, kind + 1, name: "invoice \(number).pdf", reason: "kind \(number % 30 + kind) of trouble")
        }
      }
      for (number, text) in hostile.enumerated() {
        sql += Fleet200.host(1000 + number, name: text)
        sql += Fleet200.job(1000 + number, 1, name: text, reason: text)
      }
      sql +=
        "INSERT INTO waybill.gate (ledger, owner, kind, destination, reason, since) SELECT ledger, 'one', 'gate', 'storage.main', 'network', now() FROM waybill.host WHERE name LIKE 'scanner-1%';"
      sql +=
        "INSERT INTO waybill.gate (ledger, owner, kind, destination, reason, since, by_user) SELECT ledger, 'one', 'pause', 'all', 'paused', now(), '<b>eve</b>' FROM waybill.host WHERE name = 'scanner-7';"
      let file = folder.appending(path: "many.sql")
      try sql.write(to: file, atomically: true, encoding: .utf8)
      try await Command.require(
        PostgreSQLServer.psql + ["-qX", "-v", "ON_ERROR_STOP=1", server.database(), "-f", file.path])
      try await body(folder, server)
    }
  }

  @Test func auditIsCleanInBothLanguages() async throws {
    let axe = try String(contentsOfFile: Products.source(".build-test/axe/axe.min.js"), encoding: .utf8)
    try await Self.withMany { folder, server in
      let page = try await FleetPage(in: folder, database: server.database("anna"), lines: ["user = \"anna\""])
      defer { page.cut() }
      let browser = try await Browser(in: folder)
      defer { browser.cut() }
      let group = Fleet200.ledger(5) + "%2F1"
      for path in [
        "/", "/jobs", "/job?job=\(group)", "/answer?action=cancel&group=\(group)", "/jobs?name=nothing", "/nowhere",
      ] {
        for (width, dark) in [(1280, false), (390, true)] {
          try await browser.show(width: width, height: 900, dark: dark)
          try await browser.open(page.origin + path)
          try await browser.holds("document.querySelector('#language') && !document.querySelector('#language').hidden")
          try await browser.value("window.axe || (0, eval)(\(JSONValue.string(axe).description)), 1")
          let found = try await browser.value(
            "axe.run(document, {resultTypes: ['violations']}).then(r => r.violations.map(v => v.impact + ' ' + v.id + ': ' "
              + "+ v.nodes.slice(0, 3).map(n => n.html + ' ' + n.failureSummary).join(' | ')))")
          #expect(found.array.isEmpty, "\(path) \(width): \(found)")
          #expect(
            try await browser.value("document.documentElement.scrollWidth <= \(width)") == true, "\(path) \(width)")
        }
        let missing = try await browser.value(
          "[...document.querySelectorAll('[data-t]')].map(n => n.dataset.t).filter(k => !(k in WORDS.zh))")
        #expect(missing.array.isEmpty, "\(path): \(missing)")
        let boxes = try await browser.value("document.querySelectorAll('input[name=remove]').length")
        #expect(boxes == (path.contains("cancel") ? 1 : 0), "\(path)")
      }
      try await browser.open(page.origin)
      try await browser.holds("document.querySelector('#language') && !document.querySelector('#language').hidden")
      try await browser.value(
        "(e => { e.value = 'zh'; e.dispatchEvent(new Event('change')); })(document.querySelector('#language'))")
      #expect(try await browser.text("#verdict").contains("个等待您答复"))
      #expect(try await browser.value("document.documentElement.lang") == "zh-CN")
    }
  }

  @Test func namesAndMessagesStayText() async throws {
    try await Self.withMany { folder, server in
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
      #expect(try await server.sql("SELECT count(*) > 500 FROM waybill.job").output == "t\n")
    }
  }

  /// As a person sees them: at 80 and at 120 columns no line breaks.
  @Test(arguments: [80, 120]) func commandsFitTerminal(columns: Int) async throws {
    try await Self.withMany { folder, server in
      let place = folder.appending(path: "terminal")
      try FileManager.default.createDirectory(at: place, withIntermediateDirectories: true)
      let screen = try await TerminalScreen(
        in: place, columns: columns, environment: ["fleet": Products.fleet, "db": server.database("anna")])
      do {
        for (words, heading) in [
          ("list --host scanner-5", "JOB"), ("status | tail -30", "Jobs   "), ("requests", "Nothing"),
        ] {
          let command =
            words.contains("|") ? words.replacing(" |", with: " --database \"$db\" |") : words + " --database \"$db\""
          try await screen.clear()
          try await screen.run("$fleet \(command)")
          #expect(try await screen.ended() == 0, "\(words)")
          let lines = try await screen.lines()
          #expect(lines.contains { $0.hasPrefix(heading) || $0.contains(heading) }, "\(words): \(lines)")
          // tmux joins what was broken: a line that is wider than the screen was
          if !words.contains("|") { #expect(lines.allSatisfy { $0.count <= columns }, "\(words): \(lines)") }
        }
      } catch {
        await screen.close()
        throw error
      }
      await screen.close()
    }
  }
}
