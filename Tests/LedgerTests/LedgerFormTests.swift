import Foundation
import Jobs
import SQLite
import Testing

@testable import Ledger

/// Databases that this program does not read, at the ledger's path: refused, and left as they are.
@Suite struct LedgerFormTests {
  /// A ledger of a newer program; somebody's own database, with the name of one of our tables or without.
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
