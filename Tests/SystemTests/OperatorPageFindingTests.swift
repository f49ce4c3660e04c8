import ChildProcesses
import Foundation
import Testing

@testable import Harness

/// Finding things on the operator's page, and answering what is alike at once.
@Suite(.slot, .needs(.browser))
struct OperatorPageFindingTests {
  private static let rows = "document.querySelectorAll('#jobs tbody tr')"

  private func ask(_ rig: Rig, _ kind: String, count: Int) async throws {
    try await rig.sandbox.fail([
      "register": ["status": 422, "body": .string(#"{"error":"\#(kind) 4711 is wrong"}"#)]
    ])
    let before = try await rig.daemon.count("awaiting-confirmation")
    for number in 1...count { try rig.drop("\(kind)-\(number).pdf") }
    try await until("\(count) of \(kind)") { try await rig.daemon.count("awaiting-confirmation") == before + count }
  }

  @Test func oneButtonAnswersGroup() async throws {
    try await withRig { rig in
      try await ask(rig, "invoice", count: 3)
      try await ask(rig, "customer", count: 2)
      try await rig.sandbox.recover()
      try await rig.withPage { browser, _ in
        // With the first figures, and not with the next look after ten seconds.
        #expect(try await browser.value("document.querySelectorAll('#questions li').length") == 2)
        let words = try await browser.text("#questions")
        #expect(words.contains("HTTP 422: invoice 4711 is wrong") && words.contains("Retry 3"), "\(words)")

        // The smaller kind alone in the table, and all again.
        try await browser.click("#questions li:nth-child(2) [data-key=s]")
        try await browser.holds(
          "\(Self.rows).length == 2 && document.querySelector('#like').innerText.includes('customer')")
        try await browser.holds("document.activeElement == document.querySelector('#like button')")
        try await browser.click("#like button")
        try await browser.holds("\(Self.rows).length == 5 && document.querySelector('#like').hidden")

        try await browser.click("#questions li:nth-child(1) [data-key=r]")
        try await browser.holds("document.querySelector('#a-title').innerText == 'Retry 3 jobs?'")
        try await browser.click("#a-do")
        try await until("3 registered") { try await rig.daemon.count("registered") == 3 }
        #expect(try await rig.daemon.count("awaiting-confirmation") == 2)
        try await browser.holds("document.querySelector('#questions [data-key=c]').innerText == 'Cancel 2…'")
        try await browser.click("#questions [data-key=c]")
        try await browser.click("#a-do")
        try await until("2 cancelled") { try await rig.daemon.count("cancelled") == 2 }
        try await browser.holds("document.querySelector('#questions').hidden && \(Self.rows).length == 0")
        let none = try await browser.text("#none")
        #expect(none == "No such jobs. Under Show, “all” looks in every state.", "\(none)")
      }
    }
  }

  /// A colleague retries the first of three jobs while the dialog is open, and the job joins two others. The answer is for the three
  /// that were shown, so it does nothing; the page shows the groups as they are.
  @Test func answerToChangedGroupDoesNothing() async throws {
    try await withRig { rig in
      try await ask(rig, "invoice", count: 3)
      try await ask(rig, "customer", count: 2)
      try await rig.withPage { browser, _ in
        try await browser.holds("document.querySelectorAll('#questions li').length == 2")
        try await browser.click("#questions li:nth-child(1) [data-key=c]")
        try await browser.holds("document.querySelector('#a-title').innerText.includes('3 jobs')")
        let first = try #require(
          try await rig.daemon.jobs().first { $0.name.string?.hasPrefix("invoice") == true }?.job.int)
        let revision = try await rig.daemon.job(first).revision
        #expect(try await rig.daemon.waybill("retry", "\(first)").status == 0)
        try await until("the new question") {
          let job = try await rig.daemon.job(first)
          return job.state == "awaiting-confirmation" && job.revision != revision
        }
        try await browser.click("#a-do")
        try await browser.hasSaid("is not the one that was shown")
        #expect(try await rig.daemon.count("awaiting-confirmation") == 5)
        try await browser.holds(
          "[...document.querySelectorAll('#questions li')].some(li => li.innerText.includes('Retry 3') && li.innerText.includes('customer'))"
        )
      }
    }
  }
}
