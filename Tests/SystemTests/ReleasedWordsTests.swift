import ChildProcesses
import Foundation
import Testing

@testable import Harness

/// A job whose file was given back is not called discarded, wherever people look.
@Suite(.slot) struct ReleasedWordsTests {
  private static let refused: JSONValue = ["register": ["status": 422]]

  @Test(.needs(.browser)) func pageSaysWhereFileWent() async throws {
    try await withRig(faults: Self.refused) { rig in
      try await rig.drop("scan.pdf", until: "awaiting-confirmation")
      #expect(try await rig.daemon.waybill("cancel", "1").status == 0)
      let back = rig.folder.appending(path: "back")
      try FileManager.default.createDirectory(at: back, withIntermediateDirectories: false)
      #expect(try await rig.daemon.waybill("release", "1", "--to", back.path).status == 0)
      try await rig.withPage { browser, _ in
        try await browser.value("document.querySelector('#f-state').value = ''")
        try await browser.click("#f-name")
        try await browser.type("scan")
        try await browser.holds("document.querySelectorAll('#jobs tbody tr').length == 1")
        #expect(try await browser.text("#jobs tbody .state") == "released")
        try await browser.click("#jobs .link")
        try await browser.holds("document.querySelector('#detail').open")
        let detail = try await browser.text("#detail")
        #expect(detail.contains("to \(back.path), by root") && !detail.contains("discarded"), "\(detail)")
      }
    }
  }

  @Test(.needs(.postgreSQL)) func fleetSaysWhereFileWent() async throws {
    try await withFleet(1, faults: Self.refused) { rig in
      let host = try #require(rig.hosts.first)
      for name in ["back.pdf", "gone.pdf"] { try host.drop(name) }
      try await until("the questions") { try await host.daemon.count("awaiting-confirmation") == 2 }
      #expect(try await host.daemon.waybill("cancel", "back.pdf", "gone.pdf").status == 0)
      let back = rig.folder.appending(path: "given")
      try FileManager.default.createDirectory(at: back, withIntermediateDirectories: false)
      #expect(try await host.daemon.waybill("release", "back.pdf", "--to", back.path).status == 0)
      #expect(try await host.daemon.waybill("discard", "gone.pdf", "--yes").status == 0)
      try await rig.untilExact()
      let page = try await FleetPage(rig, lines: ["user = \"anna\""])
      defer { page.cut() }
      let list = try await rig.fleet("list", "--state", "discarded").output.split(separator: "\n")
      for (name, word) in [("back.pdf", "released"), ("gone.pdf", "discarded")] {
        #expect(list.contains { $0.contains(name) && $0.contains(" \(word) ") }, "\(list)")
        let job = try #require(try await host.daemon.newestJob(named: name)?.job.int)
        let shown = try await page.call("GET", "/job?job=\(host.name)%2F\(job)").body
        #expect(shown.contains(">\(word)<"), "\(shown)")
        #expect(shown.contains("to \(back.path), by root") == (word == "released"), "\(shown)")
      }
      let jobs = try await page.call("GET", "/jobs?state=discarded").body
      #expect(jobs.contains(">released<") && jobs.contains(">discarded<"), "\(jobs)")
    }
  }
}
