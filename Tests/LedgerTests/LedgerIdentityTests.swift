import Foundation
import Jobs
import Testing

@testable import Ledger

/// The name of a ledger for those who copy it elsewhere, and the number of its life; ledgers that are whole for SQLite and yet not the
/// ones that were left.
@Suite struct LedgerIdentityTests {
  private static func open(_ box: LedgerBox, _ body: (JobLedger) async throws -> Void = { _ in }) async throws
    -> LedgerIdentity
  {
    let ledger = try box.open()
    try await body(ledger)
    _ = try await ledger.finishRecovery(by: Caller(uid: 0, user: "test"))
    let identity = ledger.identity
    try ledger.close()
    return identity
  }

  private static func restore(_ backup: String, _ box: LedgerBox) throws {
    _ = try LedgerBackup.restore(backup, ofLedgerIn: box.directory, now: box.time.now)
    box.time.pass(.seconds(1))
  }

  @Test func eachRestoreIsNewGeneration() async throws {
    let box = try LedgerBox()
    let first = try await Self.open(box) { _ = try await $0.admit([.sample("a.pdf")]) }
    let backup = box.directory + "/backup"
    try LedgerBackup.make(ofLedgerIn: box.directory, to: backup)
    for life: Int64 in [2, 3] {
      try Self.restore(backup, box)
      let restored = try await Self.open(box)
      #expect(restored == LedgerIdentity(uuid: first.uuid, generation: life))
      #expect(try await Self.open(box) == restored)
    }
  }

  @Test(arguments: [true, false])
  func rebuiltLedgerIsNextGeneration(hasTrace: Bool) async throws {
    let box = try LedgerBox()
    let first = try await Self.open(box) { _ = try await $0.admit([.sample("a.pdf")]) }
    let path = box.directory + "/" + JobLedger.fileName
    let file = try FileHandle(forUpdating: URL(filePath: path))
    // the identity's table stays readable: its page is not the one that is damaged
    try file.seek(toOffset: 20)
    try file.write(contentsOf: [0xFF, 0xFF])
    try file.close()
    if !hasTrace { try FileManager.default.removeItem(atPath: box.directory + "/" + LedgerTrace.name) }
    let rebuilt = try await Self.open(box)
    #expect(rebuilt.uuid == first.uuid || !hasTrace)
    #expect(rebuilt.generation == (rebuilt.uuid == first.uuid ? 2 : 1))
  }

  enum Fate: String, CaseIterable {
    case stopped, killed, killedAndLogGone, killedAndLogEmptied, olderCopy, traceGone

    var isLoss: Bool { self == .killedAndLogGone || self == .killedAndLogEmptied || self == .olderCopy }
  }

  @Test(arguments: Fate.allCases) func detectsLostOrReplacedLedger(_ fate: Fate) async throws {
    let box = try LedgerBox()
    let path = box.directory + "/" + JobLedger.fileName
    let files = FileManager.default
    try await box.run { first in
      _ = try await first.admit([.sample("a.pdf")])
      _ = try await first.finishRecovery(by: .recovery)
      _ = try await first.resume(.recovered, by: .recovery)
    }
    try files.copyItem(atPath: path, toPath: path + ".older")
    // a kill, as far as the files go: they are taken away while the ledger is open
    let living = try box.open()
    _ = try await living.admit([.sample("b.pdf")])
    if fate == .stopped || fate == .olderCopy || fate == .traceGone { try living.close() }
    let moved = try box.crashed()
    let there = moved.directory + "/" + JobLedger.fileName
    if fate != .stopped, fate != .olderCopy, fate != .traceGone { try living.close() }
    switch fate {
    case .stopped, .killed: break
    case .killedAndLogGone: try files.removeItem(atPath: there + "-wal")
    case .killedAndLogEmptied: try FileHandle(forUpdating: URL(filePath: there + "-wal")).truncate(atOffset: 0)
    case .olderCopy:
      try files.removeItem(atPath: there)
      try files.moveItem(atPath: there + ".older", toPath: there)
    case .traceGone: try files.removeItem(atPath: moved.directory + "/" + LedgerTrace.name)
    }

    for _ in 1...2 {  // a start that comes to no end forgets nothing
      try await moved.run { ledger in
        #expect(ledger.mayHaveForgotten == fate.isLoss)
      }
    }
    let ledger = try moved.open()
    #expect(ledger.setAside == nil)
    #expect(ledger.identity.generation == (fate.isLoss ? 4 : 1), "each start before the recovery is done is a new life")
    #expect(try await ledger.finishRecovery(by: .recovery) == (fate.isLoss ? 1 : 0))
    #expect(ledger.counts.isPaused(.recovered) == fate.isLoss)
  }
}
