import ChildProcesses
import Foundation
import Testing

@testable import Harness

/// Ledgers that are damaged, looked over, backed up and put back, with the real programs.
@Suite(.slot)
struct LedgerCareTests {
  private func ledger(_ rig: Rig) -> URL { rig.setup.state.appending(path: "ledger.sqlite") }

  private func care(_ rig: Rig, _ words: String...) async throws -> Command {
    try await Command.run([Products.daemon, "ledger"] + words + ["--config", rig.setup.config.path])
  }

  private func names(_ rig: Rig) throws -> [String] {
    try FileManager.default.contentsOfDirectory(atPath: rig.setup.state.path).sorted()
  }

  /// Jobs that wait for an answer, by the name of their file: what a ledger may lose.
  private func ask(_ rig: Rig, _ names: [String]) async throws -> [String: String] {
    try await rig.sandbox.fail(["register": ["status": 422]])
    var ids: [String: String] = [:]
    for name in names {
      ids[name] = try await rig.drop(name, until: "awaiting-confirmation").id.string
    }
    try await rig.sandbox.recover()
    return ids
  }

  @Test(arguments: ["garbage", "cut", "log"])
  func damagedLedgerLosesNoFiles(_ harm: String) async throws {
    try await withRig(journal: Capability.journald.isThere) { rig in
      let ids = try await ask(rig, (1...5).map { "\($0).pdf" })
      if harm == "log" { try await rig.daemon.kill() } else { _ = try await rig.daemon.stop() }
      switch harm {
      case "garbage": try Data(repeating: 0x67, count: 100_000).write(to: ledger(rig))
      case "cut": try FileHandle(forUpdating: ledger(rig)).truncate(atOffset: 8192)
      default:
        try Data(repeating: 0x67, count: 100_000).write(to: rig.setup.state.appending(path: "ledger.sqlite-wal"))
      }
      let log = try await StatusLog(in: rig.folder, control: rig.setup.socket)
      let daemon = Daemon(rig.setup, journal: rig.journal, environment: log.environment)
      try await daemon.start()
      #expect(try await daemon.status().pauses.array.first?.destination == "recovered" || harm == "cut")
      _ = try await daemon.waybill("resume", "--recovered")
      _ = try await daemon.waybill("confirm", "--all")
      for (name, id) in ids {
        #expect(try await daemon.job(named: name, in: "registered", after: "awaiting-confirmation").id.string == id)
      }
      #expect(try rig.sandbox.registrations().count == ids.count)
      let aside = try #require(try names(rig).first { $0.hasPrefix("ledger.sqlite.damaged-") })
      #expect(try names(rig).count { $0.hasPrefix("ledger.sqlite.damaged-") && !$0.contains("sqlite-") } >= 1)

      if let entry = try await rig.journal?.entry("MESSAGE_ID=a600c03308234c5a9363f2a8e7457c78") {
        #expect(entry.WAYBILL_EVENT == "ledger-problem" && entry.PRIORITY == "3")
        #expect(entry.MESSAGE.string?.contains(aside) == true)
      }
      try await until("STATUS to say so") { try log.status()?.contains("damaged and is kept as") == true }
      #expect(try daemon.errorText.contains("the ledger was damaged"))
      let status = try await daemon.waybill("status")
      #expect(status.output.contains("the ledger was damaged"), "\(status.output)")
      #expect(try await daemon.stop() == .exit(0))
      try await daemon.start()
      #expect(try await daemon.status().ledger_fault.isNull, "that is told once")
      #expect(try await daemon.jobs().count == ids.count)
    }
  }

  /// Met by what runs, it ends the daemon, and the restart puts the ledger aside.
  @Test func damageAtRuntimeExits74() async throws {
    try await withRig { rig in
      let ids = try await ask(rig, (1...40).map { "\($0).pdf" })
      _ = try await rig.daemon.stop()
      try await rig.daemon.start()
      let handle = try FileHandle(forUpdating: ledger(rig))
      let size = try handle.seekToEnd()
      for offset in stride(from: UInt64(4096 * 4), to: size, by: 4096) {
        try handle.seek(toOffset: offset)
        handle.write(Data(repeating: 0x55, count: 4096))
      }
      _ = try await rig.daemon.waybill("confirm", "--all", "--yes")
      #expect(try await rig.daemon.child().end() == .exit(74))
      #expect(try rig.daemon.errorText.contains("the ledger is damaged"))
      try await rig.daemon.start()
      _ = try await rig.daemon.waybill("resume", "--recovered")
      _ = try await rig.daemon.waybill("confirm", "--all", "--yes")
      try await until("all to be registered") { try await rig.daemon.count("registered") == ids.count }
      #expect(Set(try await rig.daemon.jobs().map(\.id.string)) == Set(ids.values))
      #expect(try rig.sandbox.registrations().count == ids.count)
    }
  }

  @Test func restoredBackupKeepsLaterIDs() async throws {
    try await withRig { rig in
      let before = try await ask(rig, ["a.pdf", "b.pdf"])
      let backup = rig.folder.appending(path: "backup").path
      let made = try await care(rig, "backup", backup)
      #expect(made.status == 0 && made.output == "\(backup) is made; jobs: 2\n", "\(made)")
      #expect(try await care(rig, "backup", backup).status == 1)
      #expect(try await care(rig, "check").status == 0)

      let since = try await ask(rig, ["c.pdf", "d.pdf"])
      #expect(try await rig.daemon.waybill("confirm", "1").status == 0)
      try await rig.daemon.job(named: "a.pdf", in: "registered")
      let refused = try await care(rig, "restore", backup)
      #expect(refused.status == 1 && refused.errors.contains("in use by process"), "\(refused)")
      _ = try await rig.daemon.stop()

      let restored = try await care(rig, "restore", backup)
      #expect(restored.status == 0 && restored.output.contains("Idempotency-Key"), "\(restored)")
      #expect(try names(rig).contains { $0.hasPrefix("ledger.sqlite.replaced-") })
      #expect(try await care(rig, "check").output.contains("is whole; jobs: 2"))

      try await rig.daemon.start()
      for (name, id) in since {
        #expect(try await rig.daemon.job(named: name, in: "awaiting-confirmation").id.string == id)
      }
      #expect(try await rig.daemon.waybill("confirm", "5", "6").status == 0)
      for name in since.keys { try await rig.daemon.job(named: name, in: "registered", after: "awaiting-confirmation") }
      #expect(try await rig.daemon.jobs().map(\.job.int) == [1, 2, 5, 6], "numbers go on")
      #expect(try await rig.daemon.waybill("confirm", "1").status == 0)
      #expect(try await rig.daemon.job(named: "a.pdf", in: "registered").id.string == before["a.pdf"])
      #expect(try rig.sandbox.registrations().count == 3, "the same key counts once")
    }
  }
}
