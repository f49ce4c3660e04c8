import ChildProcesses
import Foundation
import Testing

@testable import Harness

/// What keeps the daemon from working, where it takes another user or a browser.
@Suite(.slot)
struct SystemProblemTests {
  @Test(.needs(.testUsers))
  func reportsForbiddenSpoolUntilFixed() async throws {
    try await withRig(users: OtherUsers(), { $0.spoolLines = ["scan_interval = \"1s\""] }) { rig in
      let spool = rig.setup.spool.path
      // In this order: without any right in it for a moment, the daemon would take the spool for one that has gone.
      try await Command.require(["setfacl", "-m", "u:\(OtherUser.daemon.name):rwx", spool])
      try await Command.require(["chown", "root", spool])
      try await Command.require(OtherUser.dropper.words(["sh", "-c", "echo 1 > \"$1/a.pdf\"", "_", spool]))
      try await rig.expectTold("spool documents: ", remedy: "chown", area: "spool")
      try await until("the file to be counted") { try await rig.daemon.status().untaken["documents"].int == 1 }
      try await Command.require(["chown", OtherUser.daemon.name, spool])
      try await rig.daemon.job(named: "a.pdf", in: "registered")
      try await rig.expectOver()
    }
  }

  /// Nobody can rename or remove such a file, whoever owns it.
  @Test(.needs(.mount), arguments: ["+i", "+a"]) func namesAttributeOfFile(_ attribute: String) async throws {
    try await withRig(faults: ["register": ["status": 422]], { $0.spoolLines = ["scan_interval = \"1s\""] }) { rig in
      func protect(_ path: String) async throws { try await Command.require(["chattr", attribute, path]) }
      func expectRemedy(_ path: String) async throws {
        try await rig.expectTold(path, remedy: "chattr -i -a \(path)", area: "spool")
        try await Command.require(["chattr", "-i", "-a", path])
        try await until("the problem to end") { try await rig.daemon.status().problems.array.isEmpty }
      }
      let dropped = rig.setup.spool.path + "/a.pdf"
      #expect(try await rig.daemon.waybill("pause", "--intake").status == 0)
      try rig.drop("a.pdf")
      try await protect(dropped)
      #expect(try await rig.daemon.waybill("resume", "--intake").status == 0)
      try await expectRemedy(dropped)
      let claimed = try #require(try await rig.daemon.job(named: "a.pdf", in: "awaiting-confirmation").existingPath)
      try await protect(claimed)
      try await rig.sandbox.recover()
      #expect(try await rig.daemon.waybill("confirm", "1").status == 0)
      try await expectRemedy(claimed)
      try await rig.expectOver()
      #expect(try rig.filesLeft() == [])
    }
  }

  /// The page says it first as well, and how many files stand there.
  @Test(.needs(.browser)) func pageShowsProblemFirst() async throws {
    try await withRig { rig in
      try await rig.withPage { browser, _ in
        try await browser.holds("document.querySelector('#verdict.good')")
        #expect(try await rig.daemon.waybill("pause", "--intake").status == 0)
        for number in 0..<3 { try rig.drop("\(number).pdf") }
        let key = rig.setup.secretKeyFile
        try FileManager.default.moveItem(at: key, to: rig.folder.appending(path: "away"))
        try await browser.holds("document.querySelector('#verdict.bad')")
        #expect(try await browser.text("#problems li").hasPrefix("cannot read \(key.path)"))
        #expect(try await browser.text("#problems li").contains("put the value into this file"))
        try await browser.holds(
          "document.querySelector('#backlog-more').innerText.includes('3 in the spools')")
        try FileManager.default.moveItem(at: rig.folder.appending(path: "away"), to: key)
        try await browser.holds("document.querySelector('#problems').hidden")
      }
    }
  }
}
