import Foundation
import Jobs
import SQLite
import Testing

@testable import Ledger

/// The forms that a ledger can have, and databases that are none.
@Suite struct LedgerFormTests {
  private static func names(_ box: LedgerBox) throws -> [String] {
    try FileManager.default.contentsOfDirectory(atPath: box.directory).sorted()
  }

  @Test func aNewerLedgerIsRefusedAndLeftAsItIs() async throws {
    let box = try LedgerBox()
    do {
      let ledger = try box.open()
      _ = try await ledger.admit([.sample("a.pdf"), .sample("b.pdf")], begin: 1, in: both)
      try ledger.close()
    }
    let path = box.directory + "/" + JobLedger.fileName
    let db = try Database(path: path)
    try db.execute("UPDATE form SET name = '3'")
    db.close()
    let before = try Data(contentsOf: URL(filePath: path))
    for _ in 1...2 {
      let error = #expect(throws: LedgerError.self) { try box.open() }
      #expect(error?.kind == .configuration && error?.words.contains("newer waybilld") == true)
    }
    #expect(try Data(contentsOf: URL(filePath: path)) == before)
    #expect(try Self.names(box).filter { $0.contains("damaged") } == [])
    let found = #expect(throws: LedgerError.self) { try LedgerCheck(path: path).faults() }
    #expect(found?.words.contains("newer waybilld") == true)
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
    #expect(try Self.names(box).filter { $0.contains("damaged") } == [])
    let found = #expect(throws: LedgerError.self) { try LedgerCheck(path: path).faults() }
    #expect(found?.words.contains("another program's database") == true)
  }
}
