import ChildProcesses
import Foundation
import Testing

@testable import Harness

/// The fleet's page in a real browser, against daemons, agents and a real PostgreSQL.
@Suite(.slot, .needs(.postgreSQL, .browser))
struct FleetPageTests {
  /// One answer for the questions of two hosts, by keyboard alone.
  @Test func answersGroupByKeyboardAlone() async throws {
    try await withFleet(2, faults: FleetTests.refusing) { rig in
      try await FleetTests.questions(rig, 3)
      // the counts come with the next heartbeat
      try await until("the counts") {
        try await rig.sql("SELECT sum((counts->>'awaiting-confirmation')::int) FROM waybill.host") == "6\n"
      }
      let page = try await FleetPage(rig, lines: ["user = \"anna\""])
      defer { page.cut() }
      try await rig.withPage(page) { browser in
        #expect(try await browser.text("#verdict") == "6 waiting for your answer")
        #expect(try await browser.text("#groups li").contains("2 hosts (host1, host2)"))
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
}
