import Foundation
import Jobs
import SQLite
import Testing

@testable import Ledger

/// A start that put a damaged ledger aside and came to no end: the next one still knows what that ledger could tell.
@Suite struct UnfinishedRebuildTests {
  /// The files that a start left behind that was cut while it had a new ledger made.
  enum Cut: String, CaseIterable {
    case beforeTheNewOneWasThere, whileItWasEmpty, beforeAllWasInIt, beforeTheNewOneWasDamagedToo
  }

  private static let anna = Caller(uid: 1000, user: "anna")

  @Test(arguments: Cut.allCases) func interruptedRebuildKeepsStopsAndNumbers(_ cut: Cut) async throws {
    let box = try LedgerBox()
    let path = box.directory + "/" + JobLedger.fileName
    let stopped = Admission.sample("b.pdf")
    try await box.run { ledger in
      _ = try await ledger.admit([.sample("a.pdf"), stopped])
      _ = try await ledger.carryOut(.cancel(reason: "no"), on: .id(stopped.id), by: Self.anna)
      _ = try await ledger.finishRecovery(by: .recovery)
    }
    try Self.harm(path)
    try {
      let ledger = try box.open()
      #expect(ledger.setAside?.stopped == 1)
      try ledger.close()
    }()
    switch cut {
    case .beforeTheNewOneWasThere: try FileManager.default.removeItem(atPath: path)
    case .whileItWasEmpty: try FileHandle(forUpdating: URL(filePath: path)).truncate(atOffset: 0)
    case .beforeAllWasInIt: break
    case .beforeTheNewOneWasDamagedToo: try Self.harm(path)
    }

    try await box.run { again in
      let aside = try #require(again.setAside)
      #expect(aside.stopped == 1 && aside.path?.hasPrefix(path + ".damaged-20261121T000000Z") == true)
      #expect(again.mayHaveForgotten)
      _ = try await again.admit([.sample("c.pdf")])
      #expect(try await again.jobs(.init(), limit: 10).first?.number.rawValue == 3)
      _ = try await again.finishRecovery(by: .recovery)
    }

    let done = try box.open()
    #expect(done.setAside == nil && !done.mayHaveForgotten)
  }

  /// A stop came when the ledger had been put aside, and its log of writes had not.
  @Test(arguments: [LedgerFiles.damaged, LedgerFiles.replaced]) func logFollowsTheLedgerPutAside(
    as word: String
  ) async throws {
    let box = try LedgerBox()
    let ledger = try box.open(boot: "this")
    let stopped = Admission.sample("b.pdf")
    _ = try await ledger.admit([.sample("a.pdf"), stopped])
    try ledger.pool.write { db in try db.emptyWriteAheadLog() }
    _ = try await ledger.carryOut(.cancel(reason: "no"), on: .id(stopped.id), by: Self.anna)
    let killed = try box.crashed(sameFiles: true)
    let path = killed.directory + "/" + JobLedger.fileName
    if word == LedgerFiles.replaced { try LedgerBackup.make(ofLedgerIn: box.directory, to: path + ".restoring") }
    let aside = "\(path).\(word)-20261121T000000Z"
    try FileManager.default.moveItem(atPath: path, toPath: aside)

    let next = try killed.open(boot: "next")
    #expect(FileManager.default.fileExists(atPath: aside + "-wal"))
    #expect(next.setAside?.path == (word == LedgerFiles.damaged ? aside : nil))
    #expect(next.setAside?.stopped ?? next.counts.jobs[.cancelled] == 1)
    try next.close()
  }

  /// Has an index not say what the rows say, and the next start look at all.
  private static func harm(_ path: String) throws {
    let db = try Database(path: path)
    let page: Int? = try db.value("SELECT rootpage FROM sqlite_master WHERE name = 'sqlite_autoindex_job_1'")
    db.close()
    let handle = try FileHandle(forUpdating: URL(filePath: path))
    try handle.seek(toOffset: UInt64((try #require(page) - 1) * 4096))
    handle.write(Data(repeating: 0x55, count: 4096))
    try Data().write(to: URL(filePath: path).deletingLastPathComponent().appending(path: LedgerFiles.suspect))
  }
}
