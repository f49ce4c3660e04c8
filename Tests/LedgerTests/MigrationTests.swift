import Foundation
import Jobs
import Linux
import SQLite
import Testing

@testable import Ledger

/// How a ledger gets from the form of one release to that of the next. There is one form yet; the migration here is the example of
/// how a later one is written.
@Suite struct MigrationTests {
  private static let note = SchemaMigration(name: "2: notes") { db in
    try db.execute(script: "ALTER TABLE job ADD COLUMN note TEXT")
    try db.execute("UPDATE job SET note = 'from before'")
  }

  /// Opens the ledger as a later program would.
  private static func open(
    _ box: LedgerBox, _ migrations: [SchemaMigration] = LedgerSchema.migrations + [note]
  ) throws -> LedgerOpening.Opened {
    try LedgerOpening(
      files: LedgerFiles(directory: try Directory(path: box.directory)), clock: box.time.clock, machine: .system,
      longestWait: RetryPolicy.longestWait, migrations: migrations
    ).open()
  }

  private static func fill(_ box: LedgerBox) async throws {
    let ledger = try box.open()
    _ = try await ledger.admit([.sample("a.pdf"), .sample("b.pdf")], begin: 1, in: both)
    _ = try await ledger.finishRecovery(by: .recovery)
    try ledger.close()
  }

  private static func names(_ box: LedgerBox) throws -> [String] {
    try FileManager.default.contentsOfDirectory(atPath: box.directory).sorted()
  }

  @Test func anOlderLedgerIsCopiedAndBroughtUp() async throws {
    let box = try LedgerBox()
    try await Self.fill(box)
    let names = try Self.names(box)
    let copy = box.directory + "/" + JobLedger.fileName + ".before-migration"
    for _ in 1...2 {
      let opened = try Self.open(box)
      #expect(opened.setAside == nil && opened.loss == nil && !opened.mayHaveForgotten)
      let notes: [String] = try await opened.pool.read { try $0.column("SELECT note FROM job") }
      #expect(notes == ["from before", "from before"])
      #expect(opened.memory.position.counts.jobs[.queued] == 2)
      opened.pool.close()
      #expect(try Self.names(box).filter { !names.contains($0) } == [JobLedger.fileName + ".before-migration"])
      #expect(try LedgerCheck(path: copy).faults() == [])
      #expect(try LedgerCheck(path: copy).count() == 2)
    }
    // the program of before does not touch it
    let error = #expect(throws: LedgerError.self) { try box.open() }
    #expect(error?.kind == .configuration && error?.words.contains("newer waybilld") == true)
  }

  @Test func aMigrationThatFailsLeavesTheLedgerAsItWas() async throws {
    struct Failed: Error {}
    let box = try LedgerBox()
    try await Self.fill(box)
    let failing = SchemaMigration(name: "3: fails") { db in
      try db.execute(script: "DROP TABLE event")
      throw Failed()
    }
    #expect(throws: Failed.self) { try Self.open(box, LedgerSchema.migrations + [failing]) }
    let ledger = try box.open()
    #expect(try await ledger.history(of: JobNumber(rawValue: 1)).map(\.event) == [.admitted])
    #expect(ledger.counts.jobs[.queued] == 2)
    try ledger.close()
  }

  /// Somebody's own database at the ledger's path, with the name of one of our tables or without.
  @Test(arguments: ["job", "recipe"], ["DELETE", "WAL"])
  func anotherProgramsDatabaseIsRefusedAndLeftAsItIs(_ table: String, _ mode: String) throws {
    let box = try LedgerBox()
    let path = box.directory + "/" + JobLedger.fileName
    let db = try Database(path: path)
    try db.execute(script: "PRAGMA journal_mode = \(mode)")
    try db.execute("CREATE TABLE \(table) (words TEXT)")
    try db.execute("INSERT INTO \(table) VALUES ('ours')")
    db.close()
    let before = try Data(contentsOf: URL(filePath: path))
    for _ in 1...2 {
      let error = #expect(throws: LedgerError.self) { try box.open() }
      #expect(error?.kind == .configuration)
      #expect(error?.words.contains("is another program's database: move it away") == true, "\(error?.words ?? "")")
    }
    #expect(try Data(contentsOf: URL(filePath: path)) == before)
    #expect(try Self.names(box).filter { $0.contains("damaged") || $0.contains("before-migration") } == [])
    let found = #expect(throws: LedgerError.self) { try LedgerCheck(path: path).faults() }
    #expect(found?.words.contains("another program's database") == true)
  }
}
