import Jobs
import MessageLiterals
import Messages
import SQLite
import Testing

@testable import Ledger

@Suite struct EventScanTests {
  private static let ada = Caller(uid: 1000, user: "ada")
  private static let bob = Caller(uid: 1001, user: "bob")

  /// Three jobs of two spools, of which people cancel two; a pause; a problem of a spool. A second passes before each.
  private func ledger(_ box: LedgerBox) async throws -> JobLedger {
    let ledger = try box.open()
    func pass() { box.time.pass(.seconds(1)) }
    pass()
    _ = try await ledger.admit([.sample("scan 1.pdf"), .sample("Letter.pdf", spool: "scans", backend: "other")])
    pass()
    _ = try await ledger.carryOut(.cancel(reason: "sent twice"), on: .number(JobNumber(rawValue: 1)), by: Self.ada)
    pass()
    _ = try await ledger.pause(.spool("scans"), by: Self.bob)
    pass()
    _ = try await ledger.carryOut(.cancel(), on: .number(JobNumber(rawValue: 2)), by: Self.bob)
    pass()
    ledger.record(
      Occurrence(.spoolProblem, of: .spool("documents"), at: box.time.now, message: "a problem", reason: "r"))
    _ = try await ledger.admit([.sample("scan 2.pdf")])
    return ledger
  }

  private func all(
    _ ledger: JobLedger, _ filter: EventFilter, _ order: JobOrder = .oldest, limit: Int = 2
  ) async throws -> [Int64] {
    var found: [Int64] = []
    var after: Int64?
    repeat {
      let page = try await ledger.log(filter, order: order, after: after, limit: limit)
      #expect(page.events.count <= limit && page.last == ledger.counts.lastEvent)
      found += page.events.map(\.sequence)
      after = page.next
    } while after != nil
    return found
  }

  @Test(arguments: [1, 2, 3, 1000]) func readsAllInBothDirections(_ limit: Int) async throws {
    let ledger = try await ledger(try LedgerBox())
    let last = ledger.counts.lastEvent
    let stream = try await ledger.events(after: 0, limit: 1000).events
    #expect(try await ledger.log(EventFilter(), order: .oldest, limit: 1000).events == stream)
    let expected = stream.map(\.sequence)
    #expect(expected.count == 7 && expected.last == last)
    #expect(try await all(ledger, EventFilter(), limit: limit) == expected)
    #expect(try await all(ledger, EventFilter(), .newest, limit: limit) == expected.reversed())
  }

  @Test func eachConditionSelectsItsEvents() async throws {
    let box = try LedgerBox()
    let began = box.time.now
    let ledger = try await ledger(box)
    let sequences = try await ledger.events(after: 0, limit: 1000).events.map { event in
      switch event {
      case .job(let event): "\(event.kind.rawValue) \(event.job.number)"
      case .occurrence(let occurrence): occurrence.kind.rawValue
      }
    }
    func found(_ change: (inout EventFilter) -> Void) async throws -> [String] {
      let filter = EventFilter(change)
      let oldest = try await all(ledger, filter)
      #expect(try await all(ledger, filter, .newest) == oldest.reversed())
      return oldest.map { sequences[Int($0) - 1] }
    }
    #expect(try await found { $0.by = .named(["ada"]) } == ["cancelled 1"])
    #expect(try await found { $0.by = .named(["ada", "nobody"]) } == ["cancelled 1"])
    #expect(try await found { $0.by = .named(["bob"]) } == ["gate-closed", "cancelled 2"])
    #expect(try await found { $0.by = .anyone } == ["cancelled 1", "gate-closed", "cancelled 2"])
    #expect(try await found { $0.by = .named(["nobody"]) } == [])
    #expect(try await found { $0.events = ["admitted"] } == ["admitted 1", "admitted 2", "admitted 3"])
    #expect(try await found { $0.events = ["admitted", "spool-problem"] }.count == 4)
    #expect(try await found { $0.spool = "scans" } == ["admitted 2", "gate-closed", "cancelled 2"])
    #expect(try await found { $0.spool = "documents" } == ["admitted 1", "cancelled 1", "spool-problem", "admitted 3"])
    #expect(try await found { $0.name = "SCAN" } == ["admitted 1", "cancelled 1", "admitted 3"])
    #expect(try await found { $0.name = "l*.pdf" } == ["admitted 2", "cancelled 2"])
    #expect(try await found { $0.destination = "spool.scans" } == ["gate-closed"])
    #expect(try await found { $0.destination = "storage.main" }.count == 5, "all are at the upload")
    #expect(try await found { $0.destination = "backend.other" } == [])
    #expect(
      try await found {
        $0.by = .anyone
        $0.spool = "scans"
        $0.events = ["cancelled"]
      } == ["cancelled 2"])
    for (first, end, count) in [(0, 1, 0), (0, 2, 2), (2, 3, 1), (2, 99, 5), (5, 6, 2), (6, 99, 0)]
      as [(Int64, Int64, Int)]
    {
      let events = try await found { ($0.since, $0.until) = (began + .seconds(first), began + .seconds(end)) }
      #expect(events.count == count, "\(first) to \(end)")
    }
  }

  /// Trouble with the ledger is written afterwards, with the time at which it began.
  @Test func lateProblemAppearsAtItsTime() async throws {
    let box = try LedgerBox()
    let began = box.time.now
    let ledger = try await ledger(box)
    ledger.record(Occurrence(.ledgerProblem, of: .ledger, at: began + .seconds(2), message: "no space"))
    _ = try await ledger.beginDue(upTo: 0, in: .none)
    let filter = EventFilter { $0.until = began + .seconds(3) }
    #expect(try await all(ledger, filter).count == 4)
    #expect(try await all(ledger, filter, .newest).count == 4)
  }

  @Test func pageIsBoundedAndResumable() async throws {
    let box = try LedgerBox()
    let ledger = try box.open()
    _ = try await ledger.admit([.sample("first.pdf")])
    let many = Int(EventScan.window) * (EventScan.mostWindows + 2)
    for start in stride(from: 0, to: many, by: 4096) {
      _ = try await ledger.admit((start..<min(many, start + 4096)).map { .sample("\($0)") })
    }
    var filter = EventFilter { $0.name = "first" }
    for order in JobOrder.allCases { #expect(try await all(ledger, filter, order) == [1]) }
    let page = try await ledger.log(filter, order: .newest, limit: 10)
    #expect(page.events.isEmpty && page.next != nil)
    // Nobody did any of it: nothing is read.
    filter.by = .anyone
    let none = try await ledger.log(filter, order: .newest, limit: 10)
    #expect(none.events.isEmpty && none.next == nil)
  }

  @Test(arguments: JobOrder.allCases) func queriesUsePersonIndexOrSequence(_ order: JobOrder) throws {
    let ledger = try LedgerBox().open()
    func plans(_ change: (inout EventFilter) -> Void) throws -> (next: String, sequences: String) {
      let condition = EventCondition(EventFilter(change), order)
      func plan(_ sql: String, _ values: [(any Bindable)?]) throws -> String {
        try ledger.pool.write { db in
          try db.all("EXPLAIN QUERY PLAN " + sql, values) { row -> String in row[3] }.joined(separator: "; ")
        }
      }
      let (next, sequences) = (
        try plan(condition.next, condition.ofNext + [0, 1]),
        try plan(condition.sequences, condition.ofRow + [0, 1] + condition.ofJob)
      )
      #expect(!sequences.contains("SCAN"), "\(sequences)")
      return (next, sequences)
    }
    let ofAda = try plans { $0.by = .named(["ada"]) }.next
    #expect(ofAda.contains("detail_by") && !ofAda.contains("TEMP B-TREE"), "\(ofAda)")
    let any = try plans { $0.spool = "scans" }.next
    #expect(any.contains("INTEGER PRIMARY KEY") && !any.contains("SCAN"), "\(any)")
    for change: (inout EventFilter) -> Void in [{ $0.events = ["gate-closed"] }, { $0.by = .anyone }] {
      let lasting = try plans(change).next
      #expect(lasting.contains("SEARCH detail USING INTEGER PRIMARY KEY") && !lasting.contains("SCAN"), "\(lasting)")
    }
  }
}
