import ChildProcesses
import Jobs
import Testing

@testable import Ledger

/// The last file of each spool.
@Suite(.slot) struct ArrivalTests {
  private let box: LedgerBox

  init() throws { box = try LedgerBox() }

  /// Opens the ledger, as a daemon does from its start to its end.
  private func run<Value>(_ body: (JobLedger) async throws -> Value) async throws -> Value {
    let ledger = try box.open()
    let value = try await body(ledger)
    try ledger.close()
    return value
  }

  /// The rows, without what the newest jobs tell.
  private func rows() async throws -> [String: Arrival] {
    try await run { ledger in try await ledger.read { db in try ArrivalRow.read(db, lastNumber: .max) } }
  }

  @Test func lastFileSurvivesRestart() async throws {
    let first = box.time.now
    let expected = try await run { ledger in
      #expect(ledger.counts.arrivals == [:])
      _ = try await ledger.admit([.sample("a"), .sample("b", spool: "scans")])
      let both = ["documents": Arrival(at: first, isFile: true), "scans": Arrival(at: first, isFile: true)]
      #expect(ledger.counts.arrivals == both)
      box.time.pass(.seconds(3600))
      _ = try await ledger.admit([.sample("c")])
      return ["documents": Arrival(at: box.time.now, isFile: true), "scans": Arrival(at: first, isFile: true)]
    }
    #expect(try await rows() == expected)
    // The samples are admitted at a time of their own, which the newest jobs tell.
    let told = try await run { ledger in ledger.counts.arrivals }
    let admitted = Arrival(at: Timestamp(seconds: 1_795_222_923), isFile: true)
    #expect(told == ["documents": admitted, "scans": admitted])
  }

  /// A row is written once a minute.
  @Test func rowIsWrittenOnceAMinute() async throws {
    let first = box.time.now
    try await run { ledger in
      for second in [0, 59, 0, 1] {
        box.time.pass(.seconds(second))
        _ = try await ledger.admit([.sample("a")])
      }
      #expect(ledger.counts.arrivals["documents"]?.at == first + .seconds(60))
    }
    #expect(try await rows()["documents"]?.at == first + .seconds(60))
    try await run { ledger in
      _ = try await ledger.admit([.sample("b", spool: "scans")])
      box.time.pass(.seconds(59))
      _ = try await ledger.admit([.sample("c", spool: "scans")])
      #expect(ledger.counts.arrivals["scans"]?.at == first + .seconds(119))
    }
    #expect(try await rows()["scans"]?.at == first + .seconds(60))
  }

  @Test(arguments: [Pause.Target.intake, .storage("main")])
  func endOfPauseSurvivesRestart(target: Pause.Target) async throws {
    let first = box.time.now
    let resumed = try await run { ledger in
      _ = try await ledger.admit([.sample("a")])
      _ = try await ledger.pause(target, by: .alice)
      box.time.pass(.seconds(3 * 86_400))
      _ = try await ledger.resume(target, by: .alice)
      return target == .intake ? box.time.now : nil
    }
    #expect(try await rows() == ["documents": Arrival(at: first, isFile: true, resumedAt: resumed)])
    // Nothing counts from it any more once a file came.
    try await run { ledger in
      #expect(ledger.counts.arrivals["documents"]?.resumedAt == resumed)
      box.time.pass(.seconds(10))
      _ = try await ledger.admit([.sample("b")])
      #expect(ledger.counts.arrivals["documents"] == Arrival(at: box.time.now, isFile: true))
    }
    #expect(try await rows() == ["documents": Arrival(at: box.time.now, isFile: true)])
  }

  @Test func waitForFirstFileBeginsOnce() async throws {
    let begin = box.time.now
    let none = Arrival(at: begin, isFile: false)
    try await run { ledger in
      try await ledger.expectFiles(in: ["documents", "scans"])
      box.time.pass(.seconds(3600))
      try await ledger.expectFiles(in: ["documents", "scans"])
      #expect(ledger.counts.arrivals == ["documents": none, "scans": none])
    }
    try await run { ledger in
      #expect(ledger.counts.arrivals == ["documents": none, "scans": none])
      _ = try await ledger.admit([.sample("a")])
      try await ledger.expectFiles(in: ["documents"])
      #expect(ledger.counts.arrivals["documents"] == Arrival(at: box.time.now, isFile: true))
      #expect(ledger.counts.arrivals["scans"] == none)
    }
  }
}
