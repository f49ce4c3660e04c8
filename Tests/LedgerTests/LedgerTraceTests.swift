import Foundation
import Jobs
import Testing

@testable import Ledger

/// Ledgers that are whole for SQLite and yet not the ones that were left.
@Suite struct LedgerTraceTests {
  /// What becomes of the files of a ledger between two starts.
  enum Fate: String, CaseIterable {
    case stopped, killed, killedAndLogGone, killedAndLogEmptied, olderCopy, traceGone

    var isLoss: Bool { self == .killedAndLogGone || self == .killedAndLogEmptied || self == .olderCopy }
  }

  @Test(arguments: Fate.allCases) func detectsLostOrReplacedLedger(_ fate: Fate) async throws {
    let box = try LedgerBox()
    let path = box.directory + "/" + JobLedger.fileName
    let files = FileManager.default
    try await {
      let first = try box.open()
      _ = try await first.admit([.sample("a.pdf")])
      _ = try await first.finishRecovery(by: .recovery)
      _ = try await first.resume(.recovered, by: .recovery)
      try first.close()
    }()
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
      try {
        let ledger = try moved.open()
        #expect(ledger.mayHaveForgotten == fate.isLoss)
        try ledger.close()
      }()
    }
    let ledger = try moved.open()
    #expect(ledger.setAside == nil)
    #expect(try await ledger.finishRecovery(by: .recovery) == (fate.isLoss ? 1 : 0))
    #expect(ledger.counts.isPaused(.recovered) == fate.isLoss)
    try ledger.close()
  }
}
