import ChildProcesses
import Foundation
import Testing

@testable import Harness

/// The fleet's page in a real browser, against daemons, agents and a real PostgreSQL.
@Suite(.slot, .needs(.postgreSQL, .browser))
struct FleetPageTests {
  private static let refusing: JSONValue = ["register": ["status": 422, "body": #"{"error":"number is taken"}"#]]

  /// Two hosts with three questions each, for one reason.
  private static func withQuestions(_ body: (FleetRig) async throws -> Void) async throws {
    try await withFleet(2, faults: refusing) { rig in
      for host in rig.hosts { for number in 1...3 { try host.drop("q\(number).pdf") } }
      for host in rig.hosts {
        try await until("questions of \(host.name)") {
          try await host.daemon.count("awaiting-confirmation") == 3
        }
      }
      try await rig.untilExact()
      // the counts come with the next heartbeat
      try await until("the counts") {
        try await rig.sql("SELECT sum((counts->>'awaiting-confirmation')::int) FROM waybill.host") == "6\n"
      }
      try await body(rig)
    }
  }

  /// One answer for the questions of all hosts, by keyboard alone. Before, the tiles: each leads to its jobs, and the choice of states has
  /// both the phases and the exact states.
  @Test func answersGroupByKeyboardAlone() async throws {
    try await Self.withQuestions { rig in
      let page = try await FleetPage(rig, lines: ["user = \"anna\""])
      defer { page.cut() }
      try await rig.withPage(page) { browser in
        let verdict = try await browser.text("#verdict")
        #expect(verdict == "6 waiting for your answer", "\(verdict)")
        let group = try await browser.text("#groups li")
        #expect(
          group.contains("6 needs an answer") && group.contains("backend.main")
            && group.contains("2 hosts (host1, host2)")
            && group.contains("HTTP 422: number is taken"), "\(group)")
        let tiles =
          "[...document.querySelectorAll('#phases a')].map(b => [...b.children].map(e => e.innerText).join('|')).join()"
        #expect(
          try await browser.value(tiles)
            == "0|waiting|,0|working|,6|needs you|needs an answer: 6,0|stopped|,0|done|")
        let heads = "[...document.querySelectorAll('#host-table th[scope=col]')].map(e => e.innerText).join()"
        #expect(
          try await browser.value(heads)
            == "Host,State,Last heard,Events behind,waiting,working,needs you,stopped,Oldest waits,Version")
        try await browser.click("#phases [data-phase=needs-you]")
        try await browser.holds("document.querySelectorAll('#jobs tbody tr').length == 6")
        let chosen = try await browser.value(
          "document.querySelector('select[name=state]').selectedOptions[0].innerText")
        #expect(chosen == "needs you")
        try await browser.open(page.origin + "/jobs?state=done")
        try await browser.holds("document.querySelector('#list')")
        #expect(try await browser.value("document.querySelectorAll('#jobs tbody tr').length") == 0)
        try await browser.open(page.origin)
        try await browser.holds("document.querySelector('#language') && !document.querySelector('#language').hidden")
        try await rig.sandbox.recover()
        // from the top of the page to the button, with nothing but Tab
        var steps = 0
        var focus: JSONValue = .null
        while steps < 40, focus != "Retry 6" {
          try await browser.press("Tab")
          focus = try await browser.value("document.activeElement.innerText")
          steps += 1
        }
        #expect(steps < 40)
        try await browser.press("Enter")
        try await browser.holds("document.querySelector('#answer')")
        #expect(try await browser.text("#answer-t") == "Retry? Jobs: 6")
        try await browser.value("document.querySelector('#do').focus()")
        try await browser.press("Enter")
        // the page follows by itself what becomes of it
        try await browser.holds("document.querySelector('#request #verdict.good')")
        #expect(try await browser.text("#request #verdict") == "6 of 6 done")
        for host in rig.hosts {
          try await until("all to be registered") { try await host.daemon.count("registered") == 3 }
          let history = try await host.daemon.job(1).history.array
          #expect(history.contains { $0.event == "confirmed" && $0.by_user == "anna (fleet, role anna)" }, "\(history)")
        }
        #expect(try await rig.sql("SELECT by_user, asked_by, commands FROM waybill.request") == "anna|anna|6\n")
        #expect(page.journal.contains("anna asks for confirm: 6 commands"))
        try await browser.open(page.origin)
        try await browser.holds("document.querySelector('#requests li')?.innerText.includes('6 of 6 done')")
        try await browser.holds("document.querySelector('#verdict.good')")
      }
    }
  }

  @Test func cancelKeepsReasonAndReportsConflict() async throws {
    try await Self.withQuestions { rig in
      let page = try await FleetPage(rig, lines: ["user = \"anna\""])
      defer { page.cut() }
      try await rig.withPage(page, path: "/jobs?host=host1") { browser in
        try await browser.holds("document.querySelectorAll('#jobs tbody tr').length == 3")
        // somebody on the host is faster than what the page shows
        try await rig.hosts[0].killAgent()
        #expect(try await rig.hosts[0].daemon.waybill("cancel", "1").status == 0)
        try await browser.value(
          "[...document.querySelectorAll('#jobs tr')].find(r => r.innerText.includes('host1/1')).querySelector('a[href*=cancel]').click()"
        )
        try await browser.holds("document.querySelector('#answer')")
        try await browser.click("input[name=reason]")
        try await browser.type("a <b>duplicate</b>")
        try await browser.press("Enter")
        try await browser.holds("document.querySelector('#request')")
        try rig.hosts[0].startAgent()
        try await browser.holds(
          "document.querySelector('#request').innerText.includes('1 changed meanwhile')")
        #expect(try await browser.text("#request").contains("it is cancelled since"))
        try await browser.open(page.origin + "/jobs?host=host1")
        try await browser.holds("document.querySelectorAll('#jobs tbody tr').length == 2")
        try await browser.click("#jobs tbody tr a[href*=cancel]")
        try await browser.holds("document.querySelector('#answer')")
        try await browser.click("input[name=reason]")
        try await browser.type("a <b>duplicate</b>")
        try await browser.press("Enter")
        try await browser.holds("document.querySelector('#request #verdict.good')")
        let job = try await rig.hosts[0].daemon.job(2)
        #expect(job.state == "cancelled" && job.history.array.last?.reason == "a <b>duplicate</b>")
        try await browser.open(page.origin + "/job?job=host1%2F2")
        try await browser.holds("document.querySelector('#job')?.innerText.includes('a <b>duplicate</b>')")
      }
    }
  }
}
