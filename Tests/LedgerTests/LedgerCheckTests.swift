import Jobs
import SQLite
import Testing

@testable import Ledger

/// What no query would show, the check of a ledger tells.
@Suite struct LedgerCheckTests {
  private func faults(after sql: String) async throws -> [String] {
    let box = try LedgerBox()
    let ledger = try box.open()
    let jobs = try await ledger.admit([.sample("a"), .sample("b")], begin: 2, in: both)
    for job in jobs { _ = try await ledger.finish(job, .uploaded(.sample), thenTakeIn: nil) }
    try await ledger.writer.perform { try $0.db.execute(sql) }
    try ledger.close()
    return try LedgerCheck(path: LedgerCheck.path(in: box.directory)).faults()
  }

  @Test func jobWithoutTicketIsAFault() async throws {
    #expect(try await faults(after: "DELETE FROM ticket WHERE job = 1") == ["1 rows of job have no ticket"])
  }

  @Test(arguments: [
    ("UPDATE job SET last_event = 0 WHERE number = 1", 1), ("UPDATE event SET previous = 0", 2),
    ("UPDATE job SET revision = revision", 0),
  ])
  func eventInNoHistoryIsAFault(_ sql: String, _ count: Int) async throws {
    let expected = count == 0 ? [] : ["\(count) rows of event are in no job's history"]
    #expect(try await faults(after: sql) == expected)
  }
}
