import Foundation
import Jobs
import MessageLiterals
import SQLite
import Synchronization
import Testing

@testable import Ledger

/// Ledgers that are not what was written: put aside whole, with a new one in their place.
@Suite struct DamageTests {
  struct Damage: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let harm: @Sendable (_ path: String) throws -> Void

    static let all = [
      Damage(testDescription: "garbage in place of all") { path in
        try Data(String(repeating: "not a database ", count: 100).utf8).write(to: URL(filePath: path))
      },
      Damage(testDescription: "cut in the middle") { path in
        let half = try Data(contentsOf: URL(filePath: path)).count / 8192 * 4096
        try FileHandle(forUpdating: URL(filePath: path)).truncate(atOffset: UInt64(half))
      },
      Damage(testDescription: "cut in the header") { path in
        try FileHandle(forUpdating: URL(filePath: path)).truncate(atOffset: 10)
      },
      Damage(testDescription: "cut to nothing, with a log of writes") { path in
        try FileHandle(forUpdating: URL(filePath: path)).truncate(atOffset: 0)
        try Data(repeating: 7, count: 5000).write(to: URL(filePath: path + "-wal"))
      },
      Damage(testDescription: "a log of writes that is garbage") { path in
        try Data(repeating: 0x67, count: 50_000).write(to: URL(filePath: path + "-wal"))
      },
      Damage(testDescription: "the schema overwritten") { path in
        let handle = try FileHandle(forUpdating: URL(filePath: path))
        try handle.seek(toOffset: 100)
        handle.write(Data(repeating: 0xFF, count: 3000))
      },
    ]
  }

  @Test(arguments: Damage.all) func damagedLedgerIsSetAsideWhole(_ damage: Damage) async throws {
    let box = try LedgerBox()
    let path = box.directory + "/" + JobLedger.fileName
    try await box.run { ledger in
      _ = try await ledger.admit((1...200).map { .sample("\($0).pdf") })
    }
    try damage.harm(path)
    let before = Dictionary(
      uniqueKeysWithValues: ["", "-wal"].compactMap { tail in
        FileManager.default.contents(atPath: path + tail).map { (tail, $0) }
      })

    let ledger = try box.open()
    let aside = try #require(ledger.setAside)
    let kept = try #require(aside.path)
    #expect(kept == path + ".damaged-20261121T000000Z")
    for (tail, bytes) in before { #expect(FileManager.default.contents(atPath: kept + tail) == bytes) }
    #expect(ledger.mayHaveForgotten)
    #expect(try await ledger.admit([.sample("a.pdf")]).isEmpty)
    let first = try #require(try await ledger.jobs(.init(), limit: 10).first)
    #expect(first.number.rawValue == (aside.lastNumber ?? 0) + 1)
    _ = try await ledger.finishRecovery(by: .recovery)
  }

  @Test func emptyLedgerIsReportedNotKept() throws {
    let box = try LedgerBox()
    try Data().write(to: URL(filePath: box.directory + "/" + JobLedger.fileName))
    let ledger = try box.open()
    #expect(ledger.setAside?.reason == "it is empty" && ledger.setAside?.path == nil)
  }

  /// A page that nothing reads at the start: found because the last daemon did not close the ledger.
  @Test func checksEveryPageAfterUncleanEnd() async throws {
    let box = try LedgerBox()
    let ledger = try box.open()
    _ = try await ledger.admit((1...500).map { .sample("\($0).pdf") })
    try ledger.pool.write { try $0.emptyWriteAheadLog() }
    _ = try await ledger.admit([.sample("last.pdf")])
    try {
      let same = try box.crashed()
      let whole = try same.open()
      #expect(whole.setAside == nil && whole.counts.jobs[.queued] == 501, "a log of writes is no damage")
      try whole.close()
    }()

    let other = try box.crashed()
    let handle = try FileHandle(forUpdating: URL(filePath: other.directory + "/" + JobLedger.fileName))
    let size = try handle.seekToEnd()
    // more pages than the last commit has in the log
    try handle.seek(toOffset: size / 8192 * 4096)
    handle.write(Data(repeating: 0x55, count: 4096 * 15))
    let rebuilt = try other.open()
    #expect(rebuilt.setAside != nil && rebuilt.counts.jobs.byState.isEmpty)
    try rebuilt.close()
  }

  enum End: CaseIterable {
    case kill, killAndWriteOver, powerCut, copy
  }

  /// A page that no start reads. The kernel has every write of a daemon that was killed, unless it went down itself, the files are copies,
  /// or somebody wrote over the ledger before the next start.
  @Test(arguments: End.allCases) func killAloneCausesNoCheck(_ end: End) async throws {
    let box = try LedgerBox()
    let ledger = try box.open(boot: "this")
    _ = try await ledger.admit([.sample("a.pdf")])
    let root: Int64? = try ledger.pool.write { db in
      try db.emptyWriteAheadLog()
      return try db.value("SELECT rootpage FROM sqlite_schema WHERE name = 'content'")
    }
    func damage(_ box: LedgerBox) throws {
      let handle = try FileHandle(forUpdating: URL(filePath: box.directory + "/" + JobLedger.fileName))
      try handle.seek(toOffset: UInt64(try #require(root) - 1) * 4096)
      handle.write(Data(repeating: 0x55, count: 4096))
    }
    if end != .killAndWriteOver { try damage(box) }
    _ = try await ledger.admit([.sample("b.pdf")])
    let killed = try box.crashed(sameFiles: end != .copy)
    if end == .killAndWriteOver {
      try await Task.sleep(for: .milliseconds(50))  // more than a tick of the file system's clock
      try damage(killed)
    }
    let next = try killed.open(boot: end == .powerCut ? "next" : "this")
    #expect((next.setAside != nil) == (end != .kill))
    try next.close()
  }

  /// Met while it is open, by a read as by a write: it ends, and the next start looks at all of it.
  @Test(arguments: [true, false]) func damageWhileOpenEndsLedger(byReading: Bool) async throws {
    let box = try LedgerBox()
    let path = box.directory + "/" + JobLedger.fileName
    try await box.run { ledger in
      _ = try await ledger.admit((1...500).map { .sample("\($0).pdf") })
    }
    let ledger = try box.open()
    let handle = try FileHandle(forUpdating: URL(filePath: path))
    let size = try handle.seekToEnd()
    for offset in stride(from: 4096 * 20, to: size, by: 4096) {
      try handle.seek(toOffset: offset)
      handle.write(Data(repeating: 0x55, count: 4096))
    }
    let error = await #expect(throws: LedgerError.self) {
      if byReading {
        _ = try await ledger.jobs(.init(), limit: 1000)
      } else {
        for number in 0..<500 { _ = try await ledger.admit([.sample("more \(number)")]) }
      }
    }
    #expect(error?.kind == .damaged)
    // Nothing is committed from then on, whether somebody waits for it or not.
    let commits = box.commits.withLock { $0.count }
    ledger.record(Occurrence(.ledgerProblem, of: .ledger, at: box.time.now, message: "late"))
    let refused = await #expect(throws: LedgerError.self) {
      _ = try await ledger.admit([.sample("late")])
    }
    #expect(refused?.kind == .damaged)
    #expect(box.commits.withLock { $0.count } == commits)
    #expect(box.problems.withLock { $0.count } == 1)
    let other = try box.crashed()
    try await other.run { next in
      #expect(next.setAside != nil)
      _ = try await next.finishRecovery(by: .recovery)
    }
    let again = try other.open()
    #expect(again.setAside == nil, "it is looked at all over once")
  }

  /// A ledger of a newer program, and somebody's own database, with the name of one of our tables or without, is refused and left as it is.
  @Test(
    arguments: [
      (nil, "UPDATE form SET name = '3'", "newer waybilld"),
      ("DELETE", "CREATE TABLE job (words TEXT)", "is another program's database: move it away"),
      ("WAL", "CREATE TABLE job (words TEXT)", "is another program's database: move it away"),
      ("DELETE", "CREATE TABLE recipe (words TEXT)", "is another program's database: move it away"),
      ("WAL", "CREATE TABLE recipe (words TEXT)", "is another program's database: move it away"),
    ] as [(String?, String, String)])
  func foreignDatabaseIsRefusedAndLeftAsItIs(_ mode: String?, _ change: String, _ words: String) async throws {
    let box = try LedgerBox()
    let path = box.directory + "/" + JobLedger.fileName
    if mode == nil {
      let ledger = try box.open()
      _ = try await ledger.admit([.sample("a.pdf"), .sample("b.pdf")], begin: 1, in: both)
      try ledger.close()
    }
    let db = try Database(path: path)
    if let mode { try db.execute(script: "PRAGMA journal_mode = \(mode)") }
    try db.execute(change)
    db.close()
    let before = try Data(contentsOf: URL(filePath: path))
    for _ in 1...2 {
      let error = #expect(throws: LedgerError.self) { try box.open() }
      #expect(error?.kind == .configuration)
      #expect(error?.words.contains(words) == true, "\(error?.words ?? "")")
    }
    #expect(try Data(contentsOf: URL(filePath: path)) == before)
    #expect(try FileManager.default.contentsOfDirectory(atPath: box.directory).filter { $0.contains("damaged") } == [])
    let found = #expect(throws: LedgerError.self) { try LedgerCheck(path: path).faults() }
    #expect(found?.words.contains(words) == true)
  }
}
