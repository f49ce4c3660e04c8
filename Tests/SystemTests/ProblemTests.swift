import ChildProcesses
import Foundation
import Glibc
import Testing

@testable import Harness

/// What keeps the daemon from working is said first, wherever one looks, for as long as it lasts.
@Suite(.slot)
struct ProblemTests {
  /// What the control socket, the command and the metrics say of one problem.
  private func expectTold(_ rig: Rig, _ what: String, remedy: String, area: String) async throws {
    try await until("the problem") {
      try await rig.daemon.status().problems.array.contains { $0.what.string?.contains(what) == true }
    }
    let problems = try await rig.daemon.status().problems.array
    let problem = try #require(problems.first { $0.what.string?.contains(what) == true })
    #expect(problem.remedy.string?.contains(remedy) == true, "\(problem)")
    #expect(problem.since.string?.hasSuffix("Z") == true)
    let command = try await rig.daemon.waybill("status")
    let first = command.output.split(separator: "\n", omittingEmptySubsequences: false).first ?? ""
    // How many wait may have changed since.
    let isFirst = problems.first?.what.string?.contains(what) == true
    #expect(isFirst && first.contains(what), "\(command.output)")
    #expect(!command.output.contains("Nothing waits for you"), "\(command.output)")
    let metrics = try await rig.daemon.control("GET", "/metrics").body
    #expect(metrics.contains("waybill_problems{what=\"\(area)\"} 1"), "\(metrics)")
  }

  private func expectOver(_ rig: Rig) async throws {
    try await until("the problem to be over") { try await rig.daemon.status().problems.array.isEmpty }
    #expect(try await rig.daemon.waybill("status").output.hasPrefix("Nothing waits for you."))
  }

  @Test(.enabled(if: MemoryDisk.canRun)) func tooLittleSpaceIsSaidFirstAndHowManyFilesStandThere() async throws {
    try await withMemoryDisk(bytes: 8 << 20) { disk in
      try await withRig(starting: false) {
        $0.daemonLines = ["min_free = \"2MiB\""]
        $0.stateFolder = disk.url.appending(path: "state")
      } _: { rig in
        try await rig.daemon.start()
        try await expectOver(rig)
        try await disk.fill(leaving: 1 << 20)
        // Nothing waits for room, and it is seen all the same.
        try await expectTold(rig, "no new files are admitted", remedy: "min_free", area: "space")
        for number in 0..<7 { try rig.drop("\(number).pdf") }
        try await until("the files to be counted") {
          try await rig.daemon.status().untaken["documents"].int == 7
        }
        let status = try await rig.daemon.waybill("status").output
        #expect(status.contains("7 files are in the spools, not taken yet"), "\(status)")
        try disk.empty()
        try await until("all to be registered") { try await rig.daemon.count("registered") == 7 }
        try await expectOver(rig)
        #expect(try await rig.daemon.status().untaken["documents"].int == 0)
      }
    }
  }

  /// A key that no job has needed since.
  @Test func aKeyThatCannotBeReadIsSaidBeforeAJobMeetsIt() async throws {
    try await withRig { rig in
      try await expectOver(rig)
      let key = rig.setup.secretKeyFile
      try FileManager.default.moveItem(at: key, to: rig.folder.appending(path: "away"))
      try await expectTold(
        rig, "cannot read \(key.path): No such file", remedy: "put the value into this file", area: "credentials")
      try FileManager.default.moveItem(at: rig.folder.appending(path: "away"), to: key)
      try await expectOver(rig)
    }
  }

  @Test(.enabled(if: OtherUser.canRun, "needs root, to become other users"))
  func aSpoolWithoutRightsIsSaidUntilTheRightIsBack() async throws {
    let users = try await OtherUsers()
    try await withRig(users: users, { $0.spoolLines = ["rescan = \"1s\""] }) { rig in
      let spool = rig.setup.spool.path
      try await Command.require(["chown", "root", spool])
      try await Command.require(["setfacl", "-m", "u:\(users.daemon.name):rwx", spool])
      try await Command.require(users.dropper.words(["sh", "-c", "echo 1 > \"$1/a.pdf\"", "_", spool]))
      try await expectTold(rig, "spool documents: ", remedy: "chown", area: "spool")
      try await until("the file to be counted") { try await rig.daemon.status().untaken["documents"].int == 1 }
      try await Command.require(["chown", users.daemon.name, spool])
      try await rig.daemon.job(named: "a.pdf", in: "registered")
      try await expectOver(rig)
    }
  }

  @Test func aSpoolThatIsGoneIsSaidUntilItIsBack() async throws {
    try await withRig { rig in
      let away = rig.folder.appending(path: "away")
      try FileManager.default.moveItem(at: rig.setup.spool, to: away)
      try await expectTold(rig, "was removed, replaced or unmounted", remedy: "make or mount it again", area: "spool")
      try FileManager.default.moveItem(at: away, to: rig.setup.spool)
      try await expectOver(rig)
    }
  }

  @Test(.enabled(if: Journal.canRun)) func aJournalThatTakesNothingIsSaid() async throws {
    try await withRig(journal: true) { rig in
      let journal = try #require(rig.journal)
      try await rig.drop("first.pdf", until: "registered")
      try await journal.entry("WAYBILL_FILE=first.pdf", "WAYBILL_EVENT=registered")
      try journal.signal(SIGSTOP)
      do {
        defer { do { try journal.signal(SIGCONT) } catch { Issue.record("\(error)") } }
        try await rig.drop((1...500).map { .init(name: Array("\($0).pdf".utf8), data: [1]) })
        try await expectTold(rig, "the journal does not take entries", remedy: "systemd-journald", area: "journal")
      }
      try await expectOver(rig)
    }
  }

  /// The page says it first as well, and how many files stand there.
  @Test(.enabled(if: Browser.canRun)) func thePageSaysItFirst() async throws {
    try await withRig { rig in
      try await rig.withPage { browser, _ in
        try await browser.holds("document.querySelector('#verdict.good')")
        #expect(try await rig.daemon.waybill("pause", "--intake").status == 0)
        for number in 0..<3 { try rig.drop("\(number).pdf") }
        let key = rig.setup.secretKeyFile
        try FileManager.default.moveItem(at: key, to: rig.folder.appending(path: "away"))
        try await browser.holds("document.querySelector('#verdict.bad')", within: .seconds(60))
        #expect(try await browser.text("#verdict").hasPrefix("cannot read \(key.path)"))
        #expect(try await browser.text("#problems li").contains("put the value into this file"))
        try await browser.holds(
          "document.querySelector('#backlog-more').innerText.includes('3 in the spools')", within: .seconds(60))
        try FileManager.default.moveItem(at: rig.folder.appending(path: "away"), to: key)
        try await browser.holds("document.querySelector('#problems').hidden", within: .seconds(60))
      }
    }
  }
}
