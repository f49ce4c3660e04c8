import ChildProcesses
import Foundation
import Testing

@testable import Harness

/// The operator's page in a real browser, against the real daemon.
@Suite(.slot, .needs(.browser))
struct OperatorPageTests {
  private static let refused: JSONValue = ["register": ["status": 422, "body": #"{"error":"number is taken"}"#]]
  private static let rows = "document.querySelectorAll('#jobs tbody tr')"

  @Test func showsNewQuestionAndAnswersIt() async throws {
    try await withRig(faults: Self.refused) { rig in
      try await rig.withPage { browser, _ in
        try await browser.holds("document.querySelector('#verdict.good')")
        #expect(try await browser.text("#verdict").hasSuffix("nothing waits for you."))
        try await rig.drop("first.pdf", until: "awaiting-confirmation")
        // By an event: what the page asks for by itself every ten seconds are no rows.
        try await browser.holds("\(Self.rows).length == 1")
        try await browser.holds("document.querySelector('#verdict').innerText.includes('1 awaiting confirmation')")
        let row = try await browser.text("#jobs tbody tr")
        #expect(row.contains("first.pdf") && row.contains("HTTP 422: number is taken"), "\(row)")

        try await rig.sandbox.recover()
        try await browser.click("#jobs [data-key=r]")
        try await rig.daemon.job(named: "first.pdf", in: "registered", after: "awaiting-confirmation")
        try await browser.holds("\(Self.rows).length == 0")
        try await browser.holds("document.querySelector('#verdict.good')")
        try await browser.hasSaid("first.pdf queued for registration")
        try await browser.click("#pause")
        try await browser.holds("document.querySelector('#verdict').innerText.includes('1 paused')")
        #expect(try await rig.daemon.status().pauses.array.first?.destination == "all")
        try await browser.holds("document.querySelector('#pause').innerText == 'Resume all'")
        try await browser.click("#pause")
        try await browser.holds("document.querySelector('#pause').innerText == 'Pause all'")
        let job = try await rig.daemon.job(1)
        #expect(job.history.array.contains { $0.event == "retried" && !$0.by_user.isNull })
      }
    }
  }

  @Test func keepsCancelReason() async throws {
    try await withRig(faults: ["upload": ["status": 400]]) { rig in
      try await rig.drop("cancel.pdf", until: "awaiting-confirmation")
      try await rig.drop("kept.pdf", until: "awaiting-confirmation")
      try await rig.withPage { browser, _ in
        try await browser.click("#jobs tbody tr:nth-child(1) [data-key=c]")
        try await browser.click("#a-reason")
        try await browser.type("a <b>duplicate</b>")
        try await browser.press("Enter")
        let cancelled = try await rig.daemon.job(named: "cancel.pdf", in: "cancelled", after: "awaiting-confirmation")
        #expect(cancelled.history.array.last?.reason == "a <b>duplicate</b>")

        // Closed without a word, nothing is done. The rows move up as the answered one goes: a click meanwhile would meet nothing.
        try await browser.holds("\(Self.rows).length == 1 && \(Self.rows)[0].innerText.includes('kept.pdf')")
        try await browser.click("#jobs tbody tr:nth-child(1) [data-key=c]")
        try await browser.press("Escape")
        try await browser.holds("!document.querySelector('#ask').open")
        #expect(try await rig.daemon.job(2).state == "awaiting-confirmation")

        // A job whose file was given back is not called discarded.
        let back = try rig.folder.madeFolder("back")
        #expect(try await rig.daemon.waybill("release", "1", "--to", back.path).status == 0)
        try await browser.value("document.querySelector('#f-state').value = ''")
        try await browser.click("#f-name")
        try await browser.type("cancel")
        try await browser.holds("\(Self.rows).length == 1 && \(Self.rows)[0].innerText.includes('cancel.pdf')")
        #expect(try await browser.text("#jobs tbody .state") == "released")
        try await browser.click("#jobs .link")
        try await browser.holds("document.querySelector('#detail').open")
        let detail = try await browser.text("#detail")
        #expect(detail.contains("to \(back.path), by root") && !detail.contains("discarded"), "\(detail)")
      }
    }
  }

  /// The jobs in five words: each tile has their number and the exact states, and shows them.
  @Test func tilesCountPhasesAndShowTheirJobs() async throws {
    try await withRig(faults: Self.refused) { rig in
      for number in 1...3 { try await rig.drop("\(number).pdf", until: "awaiting-confirmation") }
      #expect(try await rig.daemon.waybill("cancel", "1").status == 0)
      try await rig.withPage { browser, _ in
        try await browser.holds("document.querySelectorAll('#phases button').length == 5")
        let tiles =
          "[...document.querySelectorAll('#phases button')].map(b => [...b.children].map(e => e.innerText).join('|'))"
        try await browser.holds("\(tiles)[2] == '2|needs you|awaiting confirmation: 2'")
        #expect(
          try await browser.value("\(tiles).join()")
            == "0|waiting|,0|working|,2|needs you|awaiting confirmation: 2,1|stopped|cancelled: 1,0|done|")
        try await browser.click("#phases [data-phase=stopped]")
        try await browser.holds("\(Self.rows).length == 1 && \(Self.rows)[0].innerText.includes('1.pdf')")
        #expect(
          try await browser.value("document.querySelector('#f-state').selectedOptions[0].innerText") == "stopped (1)")
        #expect(try await browser.value("document.activeElement.id") == "jobs-t")
        try await rig.sandbox.recover()
        try await browser.click("#jobs [data-key=r]")
        try await browser.holds("\(tiles)[4] == '1|done|registered: 1'")
        try await browser.holds("\(Self.rows).length == 0")
      }
    }
  }

  @Test func keyboardReachesEverything() async throws {
    try await withRig(faults: Self.refused) { rig in
      for number in 1...3 { try await rig.drop("\(number).pdf", until: "awaiting-confirmation") }
      try await rig.withPage { browser, _ in
        try await browser.holds("\(Self.rows).length == 3")
        try await browser.value("\(Self.rows)[1].querySelector('.link').focus()")
        try await browser.press("Enter")
        try await browser.holds("document.querySelector('#detail').open")
        // One Enter too many does nothing: the focus is on no button.
        try await browser.press("Enter")
        #expect(try await browser.value("document.activeElement.id") == "d-title")
        let detail = try await browser.text("#detail")
        #expect(detail.contains("2 2.pdf") && detail.contains("number is taken") && detail.contains("question"))
        try await browser.press("Escape")
        try await browser.holds("document.activeElement?.innerText == '2.pdf'")
        try await rig.sandbox.recover()
        try await browser.value("document.activeElement.closest('tr').querySelector('[data-key=r]').focus()")
        try await browser.press("Enter")
        try await rig.daemon.job(named: "2.pdf", in: "registered", after: "awaiting-confirmation")
        // Where the focus was is what came after it, so that the next one is a key away.
        try await browser.holds("document.activeElement?.innerText == '3.pdf'")
        try await browser.value("document.activeElement.closest('tr').querySelector('[data-key=c]').focus()")
        try await browser.press("Enter")
        try await browser.holds("document.querySelector('#ask').open")
        try await browser.press("Enter")
        try await rig.daemon.job(named: "3.pdf", in: "cancelled", after: "awaiting-confirmation")
      }
    }
  }

  @Test func survivesDaemonRestart() async throws {
    try await withRig(faults: Self.refused) { rig in
      try await rig.drop("before.pdf", until: "awaiting-confirmation")
      try await rig.withPage { browser, _ in
        try await browser.holds("\(Self.rows).length == 1")
        // The link to the jobs leaves a fragment in the URL, as the token's is: a page that is loaded again does not take it for one.
        try await browser.value("document.querySelector('a.skip').focus()")
        try await browser.press("Enter")
        try await browser.holds("location.hash == '#jobs-t'")
        try await browser.value("window.isBefore = true")
        try await browser.call("Page.reload")
        try await browser.holds("!window.isBefore && \(Self.rows).length == 1 && document.querySelector('#live.on')")
        _ = try await rig.daemon.stop()
        try await browser.holds("document.querySelector('#live.off')")
        try await rig.daemon.start()
        try await browser.holds("document.querySelector('#live.on')")
        try await rig.drop("after.pdf", until: "awaiting-confirmation")
        try await browser.holds("\(Self.rows).length == 2")
      }
    }
  }

  @Test func fileNamesStayText() async throws {
    try await withRig(faults: ["register": ["status": 422, "body": #"{"error":"<img src=x onerror=alert(1)>"}"#]]) {
      rig in
      let name = "<img src=x onerror=alert(1)>\u{202E}fdp.exe"
      try await rig.drop(name, until: "awaiting-confirmation")
      try await rig.withPage { browser, _ in
        try await browser.holds("\(Self.rows).length == 1")
        #expect(try await browser.value("document.images.length") == 0)
        #expect(try await browser.text("#jobs .link") == #"<img src=x onerror=alert(1)>\u{202e}fdp.exe"#)
        try await browser.click("#jobs .link")
        try await browser.holds("document.querySelector('#detail').open")
        #expect(try await browser.value("document.images.length") == 0)
        // Should something get in all the same, it could do nothing.
        let answer = try await browser.value(
          "(() => { try { document.body.insertAdjacentHTML('beforeend', '<b>x</b>'); return 'in' } catch (e) { return e.name } })()"
        )
        #expect(answer == "TypeError")
      }
    }
  }

  /// Texts come in the language that they are asked for in, so a change of the language asks for everything again, the stream too.
  @Test func speaksChinese() async throws {
    try await withRig(faults: Self.refused) { rig in
      try await rig.drop("发票.pdf", until: "awaiting-confirmation")
      try await rig.withPage { browser, _ in
        try await browser.holds("\(Self.rows).length == 1")
        #expect(try await browser.value("document.documentElement.lang") == "en")
        // As a browser asks for it, and as a person chooses it.
        try await browser.call("Emulation.setUserAgentOverride", ["userAgent": "x", "acceptLanguage": "zh-CN"])
        try await browser.call("Page.reload")
        try await browser.holds("document.documentElement.lang == 'zh-CN' && \(Self.rows).length == 1")
        for language in ["en", "zh"] {
          try await browser.value(
            "(e => { e.value = '\(language)'; e.dispatchEvent(new Event('change')); })(document.querySelector('#language'))"
          )
          try await browser.holds("document.documentElement.lang.startsWith('\(language)')")
          for path in ["/v1/events", "/v1/log", "/v1/status", "/v1/groups", "/v1/jobs"] {
            try await until("\(path) to be asked for in \(language)") {
              let asked = try await browser.events("Network.requestWillBeSent").last {
                $0.request.url.string?.contains(path) == true
              }
              return asked?.request.headers["Accept-Language"].string == language
            }
          }
          let isChinese = language == "zh"
          try await browser.holds("document.querySelector('#jobs .what').innerText.includes('重试吗？') == \(isChinese)")
          try await browser.holds("document.querySelector('#live.on')")
        }
        #expect(try await browser.text("#verdict") == "1 个等待确认")
        #expect(try await browser.text("#jobs .acts").contains("重试"))
        #expect(try await browser.text("#jobs .link") == "发票.pdf")
        let left = try await browser.value(
          "[...document.querySelectorAll('[data-t]')].filter(e => e.innerText && e.checkVisibility() && /^[A-Za-z]/.test(e.innerText)).map(e => e.innerText).join()"
        )
        #expect(left == "", "not translated")
      }
    }
  }
}
