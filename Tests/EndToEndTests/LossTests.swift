import ChildProcesses
import Foundation
import Testing

@testable import Harness

/// Every kind of loss of the ledger, against all that people had said before it: what was stopped is never sent, and of
/// what cannot be known a person is asked.
@Suite(.slot)
struct LossTests {
  enum Loss: String, CaseIterable, CustomTestStringConvertible {
    case restored = "a backup is restored"
    case restoredOverGarbage = "a backup is restored in place of what cannot be read"
    case copied = "a backup is copied in place by hand"
    case firstPage = "the first page is gone"
    case truncated = "the ledger is cut in the middle"
    case gone = "the state directory is empty"
    case logGone = "the log of writes is gone after a kill"

    var testDescription: String { rawValue }

    /// Whether what was said at that time is known to the ledger that is there afterwards.
    func knows(_ when: When) -> Bool {
      switch (self, when) {
      case (.restored, _): true
      case (.restoredOverGarbage, .before), (.copied, .before), (.logGone, .before): true
      case (.restoredOverGarbage, _), (.copied, _), (.logGone, _), (.firstPage, _), (.truncated, _), (.gone, _): false
      }
    }
  }

  enum Said: String, CaseIterable {
    case asked, cancelled, discarded, released, registered, aborted

    var isNo: Bool { self == .cancelled || self == .discarded || self == .released }
    var keepsFile: Bool { self == .asked || self == .cancelled || self == .aborted }
  }

  enum When: String, CaseIterable {
    /// Before the backup.
    case before
    /// After it, of a file that the backup knows.
    case after
    /// After it, of a file that came after it.
    case new
  }

  private static func name(_ said: Said, _ when: When) -> String { "\(said.rawValue)-\(when.rawValue).pdf" }

  /// One of three; others with other seeds, all with `WAYBILL_TEST_ALL=1`.
  @Test(arguments: Seeds.share(Loss.allCases, of: 3))
  func stoppedJobsStayStopped(_ loss: Loss) async throws {
    try await withRig({ setup in
      let held = try setup.folder.madeFolder("held")
      // inotify's instances are few, and these daemons many
      setup.constants["watch"] = "\"poll\""
      let polled = ["scan_interval = \"200ms\""]
      setup.spoolLines = polled
      setup.furtherSpools =
        (["[[spool]]", "name = \"held\"", "path = \"\(held.path)\"", "settle_unseen = \"200ms\""] + polled)
        .joined(separator: "\n")
    }) { rig in
      let daemon = rig.daemon
      #expect(try await daemon.waybill("pause", "--spool", "held").status == 0)
      try await say(.before, rig)
      try await dropAsked(.after, rig)
      try rig.drop("queued-before.pdf", in: "held")
      try await until("it to be queued") { try await daemon.count("queued") == 1 }
      _ = try await daemon.stop()
      let backup = rig.folder.appending(path: "backup").path
      try await care(rig, "backup", backup)
      try await daemon.start()

      try await answer(.after, rig)
      try await say(.new, rig)
      try rig.drop("queued-new.pdf", in: "held")
      try await until("it to be queued too") { try await daemon.count("queued") == 2 }
      let sent = try names(rig)
      #expect(sent == ["registered-after.pdf", "registered-before.pdf", "registered-new.pdf"])

      try await lose(rig, loss, backup)
      for life in 1...2 {  // through a restart
        try await daemon.start()
        let status = try await daemon.status()
        let hold = try #require(status.pauses.array.first { $0.destination == "recovered" }, "\(status)")
        #expect(hold.words.string?.contains("waybill resume --recovered") == true)
        let shown = try await daemon.waybill("status").output
        #expect(shown.split(separator: "\n").first?.contains("claimed before the ledger was lost") == true, "\(shown)")
        let later = "later-\(life).pdf"
        try rig.drop(later)
        // what the words mean that name no state, and what ends other pauses
        #expect(try await daemon.waybill("resume").output.contains("resume --recovered"))
        #expect(try await daemon.waybill("resume", "--intake").status == 0)
        _ = try await daemon.waybill("reload")
        _ = try await daemon.stop()
        #expect(try names(rig) == sent, "nothing was sent")
        #expect(try rig.filesLeft().contains(later), "nothing was claimed")
      }
      try await daemon.start()
      try await check(rig, loss)
      #expect(try await daemon.waybill("resume", "--recovered").status == 0)
      #expect(try await daemon.waybill("resume", "--spool", "held").status == 0)
      try await until("all that moves to have come to rest") {
        let counts = try await daemon.status().counts
        return ["queued", "active", "deferred", "awaiting-network", "awaiting-credentials"].allSatisfy {
          counts[$0].int ?? 0 == 0
        }
      }
      try await until("what came later to be registered") {
        try names(rig).count { $0.hasPrefix("later") } == 2
      }
      #expect(try names(rig).isSuperset(of: ["queued-before.pdf", "queued-new.pdf"]))
      _ = try await daemon.waybill("retry", "--all", "--yes")
      try await until("what was aborted to be registered") { try await daemon.count("aborted") == 0 }
      for said in Said.allCases {
        for when in When.allCases {
          let name = Self.name(said, when)
          if said.isNo { #expect(!(try names(rig).contains(name)), "\(name) had been stopped") }
          if said == .asked, loss.knows(when) { #expect(!(try names(rig).contains(name)), "\(name) asks") }
        }
      }
      #expect(try await daemon.status().pauses.array.isEmpty)
    }
  }

  /// What the ledger knows is stopped at once; of the rest a person who looks says so.
  private func check(_ rig: Rig, _ loss: Loss) async throws {
    let jobs = try await rig.daemon.jobs()
    for said in Said.allCases {
      for when in When.allCases {
        let name = Self.name(said, when)
        let job = jobs.last { $0.name.string == name }
        let moves = job.map { ["queued", "deferred"].contains($0.state.string) } ?? false
        if loss.knows(when), said != .registered {
          #expect(!moves, "\(name): \(job ?? .null)")
          if said == .asked { #expect(job?.state == "awaiting-confirmation", "\(name): \(job ?? .null)") }
        }
        if said.keepsFile { #expect(job != nil, "\(name) is not lost") }
        if said.isNo, moves, let number = job?.job.int {
          #expect(try await rig.daemon.waybill("cancel", String(number)).status == 0)
        }
        // a question whose answer was lost is one that a person answered
        if said.isNo, job?.state == "awaiting-confirmation", let number = job?.job.int {
          #expect(try await rig.daemon.waybill("cancel", String(number)).status == 0)
        }
      }
    }
  }

  private func say(_ when: When, _ rig: Rig) async throws {
    try await dropAsked(when, rig)
    try await answer(when, rig)
  }

  private func dropAsked(_ when: When, _ rig: Rig) async throws {
    try await rig.sandbox.fail(["register": ["status": 422]])
    let names = Said.allCases.filter { $0 != .aborted }.map { Self.name($0, when) }
    for name in names { try rig.drop(name) }
    for name in names { try await rig.daemon.job(named: name, in: "awaiting-confirmation") }
    try await rig.sandbox.recover()
  }

  private func answer(_ when: When, _ rig: Rig) async throws {
    func tell(_ said: Said, _ command: String, _ body: JSONValue = [:]) async throws {
      let job = try #require(try await rig.daemon.newestJob(named: Self.name(said, when))?.job.int)
      let answer = try await rig.daemon.control("POST", "/v1/jobs/\(job)/\(command)", body: body.description)
      #expect(answer.status == 200, "\(command) \(said): \(answer.body)")
    }
    let folder = rig.folder.appending(path: "back").path
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    for said in Said.allCases where said.isNo { try await tell(said, "cancel") }
    try await tell(.discarded, "discard")
    try await tell(.released, "release", ["to": .string(folder)])
    try await tell(.registered, "confirm")
    try await rig.daemon.job(named: Self.name(.registered, when), in: "registered", after: "awaiting-confirmation")
    try await rig.sandbox.fail(["register": ["status": 503]])
    try await rig.drop(Self.name(.aborted, when), until: "aborted")
    try await rig.sandbox.recover()
    _ = try await rig.daemon.control("POST", "/v1/resume", body: "{}")  // a probe may go at once
  }

  private func lose(_ rig: Rig, _ loss: Loss, _ backup: String) async throws {
    let files = FileManager.default
    let ledger = rig.setup.state.appending(path: "ledger.sqlite")
    if loss == .logGone { try await rig.daemon.kill() } else { _ = try await rig.daemon.stop() }
    func overwriteFirstPage() throws {
      let handle = try FileHandle(forUpdating: ledger)
      handle.write(Data(repeating: 0, count: 4096))
    }
    switch loss {
    case .restored:
      let restored = try await care(rig, "restore", backup)
      #expect(restored.output.contains("waybill resume --recovered"), "\(restored)")
    case .restoredOverGarbage:
      try overwriteFirstPage()
      try await care(rig, "restore", backup)
    case .copied:
      for name in try files.contentsOfDirectory(atPath: rig.setup.state.path) where name.hasPrefix("ledger.sqlite") {
        try files.removeItem(at: rig.setup.state.appending(path: name))
      }
      try files.copyItem(at: URL(filePath: backup), to: ledger)
    case .firstPage: try overwriteFirstPage()
    case .truncated:
      let size = try Data(contentsOf: ledger).count
      try FileHandle(forUpdating: ledger).truncate(atOffset: UInt64(size / 8192 * 4096))
    case .gone:
      for name in try files.contentsOfDirectory(atPath: rig.setup.state.path) {
        try files.removeItem(at: rig.setup.state.appending(path: name))
      }
    case .logGone:
      for tail in ["-wal", "-shm"] { try files.removeItem(atPath: ledger.path + tail) }
    }
  }

  @discardableResult
  private func care(_ rig: Rig, _ words: String...) async throws -> Command {
    let done = try await Command.run([Products.daemon, "ledger"] + words + ["--config", rig.setup.config.path])
    #expect(done.status == 0, "\(done)")
    return done
  }

  private func names(_ rig: Rig) throws -> Set<String> {
    Set(try rig.sandbox.registrations().compactMap(\.body.name.string))
  }

  /// State and spool that move together are no loss, nor is a fresh install, a kill or a clean stop.
  @Test func intactLedgerAsksNothing() async throws {
    try await withRig({ $0.waitForServers() }) { rig in
      #expect(try await rig.daemon.status().pauses.array.isEmpty)
      try await rig.sandbox.fail(["upload": ["hold": true]])
      for number in 1...5 { try rig.drop("\(number).pdf") }
      try await until("them to be in flight") { try await rig.daemon.count("active") == 5 }
      try await rig.daemon.kill()
      try await rig.daemon.start()
      #expect(try await rig.daemon.status().pauses.array.isEmpty, "a kill")
      try await rig.daemon.kill()
      // as rsync or tar would take them along
      for folder in [rig.setup.state, rig.setup.spool] {
        let moved = folder.path + ".moved"
        try FileManager.default.moveItem(atPath: folder.path, toPath: moved)
        try await Command.require(["cp", "-a", moved, folder.path])
      }
      try await rig.sandbox.recover()
      try await rig.daemon.start()
      #expect(try await rig.daemon.status().pauses.array.isEmpty, "a move")
      try await until("all to be registered") { try await rig.daemon.count("registered") == 5 }
      #expect(try await rig.daemon.stop() == .exit(0))
      try await rig.daemon.start()
      #expect(try await rig.daemon.status().pauses.array.isEmpty, "a clean stop")
    }
  }
}
