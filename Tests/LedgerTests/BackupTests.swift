import ChildProcesses
import Foundation
import Jobs
import SQLite
import Testing

@testable import Ledger

@Suite struct BackupTests {
  private func mode(_ path: String) throws -> Int {
    try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int ?? 0
  }

  @Test func backupDuringUseHoldsCommittedJobs() async throws {
    let box = try LedgerBox()
    let ledger = try box.open()
    _ = try await ledger.admit((1...50).map { .sample("\($0).pdf") })
    let target = box.directory + "/copy"
    try LedgerBackup.make(ofLedgerIn: box.directory, to: target)
    #expect(try mode(target) == 0o600)
    let check = try LedgerCheck(path: target)
    #expect(try check.faults() == [] && check.count() == 50)
    #expect(throws: (any Error).self) { try LedgerBackup.make(ofLedgerIn: box.directory, to: target) }
    #expect(try check.count() == 50)
    #expect(try FileManager.default.contentsOfDirectory(atPath: box.directory).filter { $0.hasPrefix(".") } == [])
  }

  @Test func restoreKeepsOldLedgerAndNumbering() async throws {
    let box = try LedgerBox()
    let backup = box.directory + "/copy"
    try await box.run { ledger in
      _ = try await ledger.admit([.sample("a"), .sample("b")])
      try LedgerBackup.make(ofLedgerIn: box.directory, to: backup)
      _ = try await ledger.admit([.sample("c")])
      _ = try await ledger.finishRecovery(by: .recovery)
      #expect(throws: LedgerError.self, "it is in use") {
        try LedgerBackup.restore(backup, ofLedgerIn: box.directory, now: box.time.now)
      }
    }
    let restored = try LedgerBackup.restore(backup, ofLedgerIn: box.directory, now: box.time.now)
    #expect(restored.jobs == 2)
    let previous = try #require(restored.previous)
    #expect(try LedgerCheck(path: previous).count() == 3)
    try await box.run { ledger in
      #expect(ledger.setAside == nil && ledger.mayHaveForgotten)
      #expect(ledger.counts.jobs[.queued] == 2)
      _ = try await ledger.admit([.sample("d")])
      #expect(try await ledger.jobs(.init(), limit: 10).map(\.number.rawValue) == [1, 2, 4])
      _ = try await ledger.finishRecovery(by: .recovery)
    }
    let again = try box.open()
    #expect(!again.mayHaveForgotten)
  }

  /// Such a ledger is in a state directory that somebody copied, and beside the ledger that a restore put in place.
  @Test func restoreOfKilledLedgerTakesItsLogToo() async throws {
    let (box, other) = (try LedgerBox(), try LedgerBox())
    let ledger = try box.open()
    _ = try await ledger.admit([.sample("a")])
    try ledger.pool.write { db in try db.emptyWriteAheadLog() }
    _ = try await ledger.admit([.sample("b")])
    let killed = try box.crashed()
    let path = killed.directory + "/" + JobLedger.fileName
    #expect(try LedgerBackup.restore(path, ofLedgerIn: other.directory, now: other.time.now).jobs == 2)
    #expect(try other.open().counts.jobs[.queued] == 2)

    let log = try FileHandle(forUpdating: URL(filePath: path + "-wal"))
    log.write(Data([0xFF]))
    let error = #expect(throws: LedgerError.self, "SQLite takes such a log for an empty one") {
      try LedgerBackup.make(ofLedgerIn: killed.directory, to: path + "-b")
    }
    #expect(error?.kind == .damaged)
  }

  /// Remains of other ledgers: of one that is gone, of one whose creation was cut, and of the copy of a restore that was cut.
  @Test(arguments: ["-wal", "-journal", ".restoring.part-journal", ".restoring.part-wal"], [false, true])
  func restoreIsNotChangedByRemains(_ remains: String, isLedgerThere: Bool) async throws {
    let (box, other) = (try LedgerBox(), try LedgerBox())
    let ledger = try box.open()
    _ = try await ledger.admit((1...50).map { .sample("\($0).pdf") })
    let backup = box.directory + "/copy"
    try LedgerBackup.make(ofLedgerIn: box.directory, to: backup)
    let (path, log) = (other.directory + "/" + JobLedger.fileName, box.directory + "/" + JobLedger.fileName + "-wal")
    if isLedgerThere { try Database(path: path).execute("CREATE TABLE a (b)") }
    if remains.hasSuffix("-wal") {
      try FileManager.default.copyItem(atPath: log, toPath: path + remains)
    } else {
      // SQLite's journal of a transaction that made a database: it undoes everything
      let magic: [UInt8] = [0xD9, 0xD5, 0x05, 0xF9, 0x20, 0xA1, 0x63, 0xD7, 0xFF, 0xFF, 0xFF, 0xFF]
      let rest: [UInt8] = [0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 2, 0, 0, 0, 0x10, 0]
      try Data(magic + rest + [UInt8](repeating: 0, count: 484)).write(to: URL(filePath: path + remains))
    }
    _ = try LedgerBackup.restore(backup, ofLedgerIn: other.directory, now: other.time.now)
    let restored = try other.open()
    #expect(restored.setAside == nil && restored.counts.jobs[.queued] == 50)
  }

  @Test func refusesInvalidBackups() async throws {
    let box = try LedgerBox()
    try { try box.open().close() }()
    let path = box.directory + "/" + JobLedger.fileName
    let before = try Data(contentsOf: URL(filePath: path))
    let text = box.directory + "/text"
    try Data("not a database".utf8).write(to: URL(filePath: text))
    let other = box.directory + "/other"
    try Database(path: other).execute("CREATE TABLE a (b)")
    let newer = box.directory + "/newer"
    try LedgerBackup.make(ofLedgerIn: box.directory, to: newer)
    try Database(path: newer).execute("UPDATE form SET name = '3'")
    for (bad, kind) in [
      (text, LedgerError.Kind.damaged), (other, .configuration), (newer, .configuration),
      (box.directory + "/nothing", .configuration),
    ] {
      let error = #expect(throws: LedgerError.self, "\(bad)") {
        try LedgerBackup.restore(bad, ofLedgerIn: box.directory, now: box.time.now)
      }
      #expect(error?.kind == kind, "\(bad)")
    }
    #expect(try Data(contentsOf: URL(filePath: path)) == before)
  }

  @Test func interruptedRestoreFinishesAtStart() async throws {
    let box = try LedgerBox()
    try await box.run { ledger in
      _ = try await ledger.admit([.sample("a")])
    }
    let path = box.directory + "/" + JobLedger.fileName
    try FileManager.default.moveItem(atPath: path, toPath: path + ".restoring")
    let ledger = try box.open()
    #expect(ledger.counts.jobs[.queued] == 1)
  }
}
