import ChildProcesses
import Foundation
import Testing

@testable import Harness

/// How the operator's page looks, and whether everybody can use it: with much to show, for assistive software, in both
/// themes, on a screen and on a phone.
@Suite(.slot, .needs(.browser))
struct OperatorPageLooksTests {
  private static let rows = "document.querySelectorAll('#jobs tbody tr')"

  @Test func tenThousandJobsArePaged() async throws {
    try await withRig { rig in
      #expect(try await rig.daemon.waybill("pause").status == 0)
      try await rig.drop((1...10_000).map { .init(name: Array("\($0).pdf".utf8), data: [1]) })
      try await until("10,000 admitted") { try await rig.daemon.count("queued") == 10_000 }
      try await rig.withPage { browser, _ in
        try await browser.value(
          "(e => { e.value = 'queued'; e.dispatchEvent(new Event('change')); })(document.querySelector('#f-state'))")
        try await browser.holds("\(Self.rows).length == 100")
        #expect(try await browser.text("#backlog") == "10,000")
        try await browser.click("#next")
        try await browser.holds("\(Self.rows)[0].cells[1].innerText == '101' && \(Self.rows).length == 100")
        try await browser.click("#prev")
        try await browser.holds("\(Self.rows)[0].cells[1].innerText == '1'")
        // All of them change at once, with an event each, and the page goes on.
        #expect(try await rig.daemon.waybill("cancel", "--state", "queued", "--yes").status == 0)
        try await browser.holds("\(Self.rows).length == 0")
        try await browser.holds("document.querySelector('#backlog').innerText == '0'")
        #expect(try await browser.value("document.querySelectorAll('*').length < 2000") == true)
        try await browser.value(
          "(e => { e.value = 'cancelled'; e.dispatchEvent(new Event('change')); })(document.querySelector('#f-state'))")
        try await browser.holds("\(Self.rows).length == 100")
      }
    }
  }

  private func withFullPage(_ body: (Browser, Rig) async throws -> Void) async throws {
    try await withRig({
      $0.daemonLines.append("bandwidth = \"1MiB\"")
      $0.storageLines.append("part_size = \"5MiB\"")
    }) { rig in
      for number in 870...881 { try rig.drop("invoice \(number).pdf", Data(repeating: 1, count: number * 90)) }
      try await until("12 registered") { try await rig.daemon.count("registered") == 12 }
      try await rig.sandbox.fail(["register": ["status": 422, "body": #"{"error":"invoice number is taken"}"#]])
      for name in ["invoice 882.pdf", "delivery note 12-4.pdf", "发票 2026-11.pdf"] {
        try await rig.drop(name, until: "awaiting-confirmation")
      }
      try await rig.sandbox.fail(["register": ["status": 503]])
      try await rig.drop("contract.pdf", until: "aborted")
      try rig.drop("drawings.zip", Data(repeating: 2, count: 48 << 20))
      try await until("it to be under way") { try await rig.daemon.status().transfers.array.count == 1 }
      try await rig.withPage { browser, _ in
        try await browser.holds("\(Self.rows).length == 4 && !document.querySelector('#transfers').hidden")
        try await browser.holds("document.querySelector('progress').value > 0 && document.querySelector('#chart rect')")
        try await browser.holds("document.querySelectorAll('#questions li').length > 1")
        try await body(browser, rig)
      }
    }
  }

  /// All rules of axe, best practices among them. `WAYBILL_WRITE_PICTURES=1` writes the pictures for the documents anew.
  @Test func fullPageFitsAndAuditIsClean() async throws {
    let axe = try String(contentsOfFile: Products.source(".build-test/axe/axe.min.js"), encoding: .utf8)
    let isWriting = ProcessInfo.processInfo.environment["WAYBILL_WRITE_PICTURES"] == "1"
    try await withFullPage { browser, _ in
      for (name, width, height) in [("screen", 1280, 1100), ("phone", 390, 1400)] {
        for dark in [false, true] {
          try await browser.show(width: width, height: height, dark: dark)
          try await browser.value("document.querySelector('#list').open = false, scrollTo(0, 0)")
          #expect(
            try await browser.value("document.documentElement.scrollWidth <= \(width)") == true,
            "nothing sticks out at \(width)")
          let picture = try await browser.picture()
          let place = Products.source("docs/images/page-\(name)-\(dark ? "dark" : "light").png")
          if isWriting { try picture.write(to: URL(filePath: place)) }
          #expect(picture.count > 10_000 && FileManager.default.fileExists(atPath: place))
          try await browser.value("document.querySelector('#list').open = true")
          try await audit(browser, axe, "\(width) \(dark ? "dark" : "light")")
        }
      }
    }
  }

  private func audit(_ browser: Browser, _ axe: String, _ look: String) async throws {
    for part in ["document", "document.querySelector('#detail')", "document.querySelector('#ask')"] {
      if part.contains("detail") {
        try await browser.click("#jobs .link")
        try await browser.holds("document.querySelector('#detail').open")
      } else if part.contains("ask") {
        try await browser.click(
          "#jobs [data-key=c], #detail [data-key=c], #b-cancel:not(:disabled)")
        try await browser.holds("document.querySelector('#ask').open")
      }
      try await browser.value("window.axe || (0, eval)(\(JSONValue.string(axe).description)), 1")
      let found = try await browser.value(
        "axe.run(\(part), {resultTypes: ['violations']}).then(r => r.violations.map(v => v.impact + ' ' + v.id + ': ' "
          + "+ v.nodes.map(n => n.html + ' ' + n.failureSummary).join(' | ')))")
      #expect(found.array.isEmpty, "\(look) \(part): \(found)")
      if part != "document" {
        try await browser.press("Escape")
        try await browser.holds("!document.querySelector('dialog[open]')")
      }
    }
  }
}
