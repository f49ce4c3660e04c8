import ChildProcesses
import Foundation
import Testing

@testable import Harness

/// A job whose file was given back is not called discarded on the page.
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
}
