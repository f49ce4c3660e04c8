import ChildProcesses
import SQLite
import Testing

@testable import Ledger

struct ReleasedFormTests {
  /// A form that was released stays as it is: ledgers have it. Other tables have another name, and older ledgers are converted.
  @Test func releasedFormStays() throws {
    let box = try LedgerBox()
    try box.open().close()
    let db = try Database(path: LedgerCheck.path(in: box.directory))
    defer { db.close() }
    let statements = try db.all("SELECT sql FROM sqlite_master WHERE sql IS NOT NULL", []) { row -> String in row[0] }
    try Promised.expect(
      "tables of the ledger, form \(LedgerSchema.ownForm)", is: statements.map { $0.replacing(/\s+/, with: " ") })
  }
}
