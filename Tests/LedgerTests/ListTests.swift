import ChildProcesses
import Jobs
import MessageLiterals
import SQLite
import Testing

@testable import Ledger

/// A page of a list is found in a bounded part of a large ledger, and all pages together have everything.
@Suite(.slot, .aside) struct ListTests {
  private static let count: Int64 = 100_000
  /// The jobs that have another name; the rows between some of them have left.
  private static let named: [Int64] = [2, 40_000, 40_001, 99_999, 100_000]

  private func ledger(_ box: LedgerBox) async throws -> JobLedger {
    let ledger = try box.open()
    _ = try await ledger.admit([.sample("scan.pdf")])
    try await ledger.writer.perform { batch in
      let db = batch.db
      for (table, key) in [("job", "number"), ("ticket", "job")] {
        let columns: [String] = try db.column("SELECT name FROM pragma_table_info(?)", [table])
        let values = columns.map { $0 == key ? "value" : $0 == "id" ? "randomblob(16)" : $0 }
        try db.execute(
          """
          WITH RECURSIVE n (value) AS (SELECT 2 UNION ALL SELECT value + 1 FROM n WHERE value < ?)
          INSERT INTO \(table) (\(columns.joined(separator: ", ")))
          SELECT \(values.joined(separator: ", ")) FROM n, \(table) WHERE \(key) = 1
          """, [Self.count])
        try db.execute("DELETE FROM \(table) WHERE \(key) BETWEEN 50000 AND 60000")
      }
      for number in Self.named {
        try db.execute("UPDATE ticket SET name = ? WHERE job = ?", [Array("invoice-\(number).pdf".utf8), number])
      }
    }
    return ledger
  }

  @Test func pagesAreBoundedAndComplete() async throws {
    let ledger = try await ledger(try LedgerBox())
    let filters = [
      JobFilter { $0.name = "invoice*" }, JobFilter { $0.name = "INVOICE" },
      JobFilter {
        $0.name = "invoice-*.pdf"
        $0.states = [.queued]
      },
    ]
    for filter in filters {
      for order in [JobOrder.oldest, .newest] {
        for limit in [1, 3, 100] {
          var found: [Int64] = []
          var after: JobNumber?
          var pages = 0
          repeat {
            let (page, operations) = try await ledger.read { [after] db in
              let before = Database.operations
              let page = try JobLedger.page(JobQuery(filter), after: after, order: order, limit: limit, in: db)
              return (page, Database.operations - before)
            }
            if !JobQuery(filter).isIndexed { #expect(operations < 40 * JobLedger.jobsOfPage) }
            found += page.jobs.map(\.number.rawValue)
            #expect(page.jobs.count <= limit)
            pages += 1
            after = page.next
          } while after != nil && pages < 100
          #expect(found == (order == .oldest ? Self.named : Self.named.reversed()), "\(filter) \(order) \(limit)")
          let all = try await ledger.jobs(filter, order: order, limit: limit)
          #expect(all.map(\.number.rawValue) == Array(found.prefix(limit)))
        }
      }
      #expect(try await ledger.counts(of: filter) == [.queued: Self.named.count])
    }
    for number in [2, 99_999] as [Int64] {
      let name = FileName("invoice-\(number).pdf")
      for spool in [nil, "documents"] {
        let found = try await ledger.jobs(named: name, spool: spool, path: [], limit: 5)
        #expect(found.map(\.number.rawValue) == [number])
      }
      #expect(try await ledger.jobs(named: name, spool: "other", path: nil, limit: 5).isEmpty)
      #expect(try await ledger.jobs(named: name, spool: nil, path: Array("a".utf8), limit: 5).isEmpty)
    }
    #expect(
      try await ledger.jobs(named: FileName("scan.pdf"), spool: nil, path: nil, limit: 3).map(\.number.rawValue)
        == [99_998, 99_997, 99_996])
  }
}
