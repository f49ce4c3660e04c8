import Jobs
import MessageLiterals
import Messages
import SQLite
import Seams
import Testing

@testable import Ledger

@Suite struct EventLogTests {
  private static func problem(_ words: String, at time: Timestamp) -> Occurrence {
    Occurrence(
      .spoolProblem, of: .spool("documents"), at: time, message: "spool documents: \(words)", reason: .text(words))
  }

  /// All that is logged, once what was noted so far is committed.
  private func log(_ ledger: JobLedger, after sequence: Int64 = 0) async throws -> [LoggedEvent] {
    _ = try await ledger.beginDue(upTo: 0, in: .none)
    return try await ledger.events(after: sequence, limit: 1000).events
  }

  @Test func eventsWithoutJobShareSequence() async throws {
    let box = try LedgerBox()
    let occurrences = [
      Self.problem("a\n\u{1B}", at: box.time.now),
      Occurrence(
        .gateClosed, of: .destination(.storage("main")), at: box.time.now, message: "storage.main is paused",
        reason: "paused", until: Timestamp(seconds: 7), by: Caller(uid: 1000, user: "ada")),
      Occurrence(.ledgerRecovered, of: .ledger, at: box.time.now, message: "written again"),
    ]
    try await box.run { ledger in
      _ = try await ledger.admit([.sample("a")])
      for occurrence in occurrences { ledger.record(occurrence) }
      _ = try await ledger.admit([.sample("b")])

      let logged = try await log(ledger)
      #expect(logged.map(\.sequence) == [1, 2, 3, 4, 5] && ledger.counts.lastEvent == 5)
      for (index, occurrence) in occurrences.enumerated() {
        var expected = occurrence
        expected.sequence = Int64(index + 2)
        #expect(logged[index + 1] == .occurrence(expected))
      }
      guard case .job(let first) = logged[0], case .job(let last) = logged[4] else {
        Issue.record("\(logged)"); return
      }
      #expect(first.job.ticket.name.text == "a" && last.job.ticket.name.text == "b")
      #expect(try await log(ledger, after: 4) == [logged[4]])
      #expect(try await ledger.history(of: JobNumber(rawValue: 1)).count == 1)
    }
    try await box.run { ledger in
      ledger.record(Self.problem("c", at: box.time.now))
      let logged = try await log(ledger)
      #expect(logged.map(\.sequence) == [1, 2, 3, 4, 5, 6])
    }
  }

  /// A commit is in the file a moment before the counts have it. Who comes back with what was read then is not ahead of the log.
  @Test func commitThatIsNotPublishedIsNotRead() async throws {
    let box = try LedgerBox()
    try await box.run { ledger in
      _ = try await ledger.admit([.sample("a")])
      let last = ledger.counts.lastEvent
      let other = try Database(path: ledger.files.path)
      try other.execute(
        "INSERT INTO event (sequence, at, kind) VALUES (?, 0, 'ledger-problem')", [last + 1])
      other.close()
      for (after, limit) in [(last, 100), (last - 1, 100), (last - 1, 1)] {
        let read = try await ledger.events(after: after, limit: limit)
        #expect(read.upTo == last && read.events.count == Int(last - after))
      }
    }
  }

  /// A page that ends in what has left is read to its end: its reader waits for the next event, not for those.
  @Test func eventsThatHaveLeftArePassedOver() async throws {
    try await LedgerBox().run { ledger in
      _ = try await ledger.admit([.sample("a"), .sample("b")])
      try await ledger.writer.perform { try $0.db.execute("DELETE FROM event") }
      let read = try await ledger.events(after: 0, limit: 100)
      #expect(read.events.isEmpty && read.upTo == 2)
    }
  }

  @Test func cutAttemptHasNotFailureOfEarlierOne() async throws {
    try await LedgerBox().run { ledger in
      let job = try #require(try await ledger.admit([.sample("a")], begin: 1, in: both).first)
      let failed = try await ledger.finish(job, .failed(Failure(.transient, "HTTP 500"), .requeue), thenTakeIn: both)
      _ = try await ledger.finish(try #require(failed.next), .cut, thenTakeIn: nil)
      #expect(try await ledger.attempts(of: job.number).map(\.failure?.kind) == [.transient, nil])
    }
  }

  @Test func lateProblemHidesNoLaterEvents() async throws {
    let box = try LedgerBox()
    let ledger = try box.open()
    let began = box.time.now
    box.time.pass(.seconds(60))
    _ = try await ledger.admit([.sample("a")])
    ledger.record(Occurrence(.ledgerProblem, of: .ledger, at: began, message: "no space"))
    ledger.record(Occurrence(.ledgerRecovered, of: .ledger, at: box.time.now, message: "written again"))
    #expect(try await log(ledger).count == 3)
    #expect(try await ledger.lastEvent(before: began + .seconds(30)) == 0)
    // A clock that is set right again has dated earlier events later.
    box.time.setWall(by: .seconds(10 * 86_400))
    _ = try await ledger.admit([.sample("b"), .sample("c")])
    box.time.setWall(by: .zero)
    box.time.pass(.seconds(60))
    _ = try await ledger.admit([.sample("d")])
    #expect(try await ledger.lastEvent(before: began + .seconds(90)) == ledger.counts.lastEvent - 1)
  }

  /// An event that no job's history keeps goes when readers cannot resume from it any more, at once or at the next start.
  @Test func oldEventsWithoutJobAreRemoved() async throws {
    let box = try LedgerBox()
    /// As if so many events had come, and left with their jobs.
    func pass(_ ledger: JobLedger, to last: Int64) async throws {
      try ledger.pool.write { db in
        try LastNumbers(events: last).keep(in: db)
      }
    }
    let kept = JobLedger.eventsKept
    try await box.run { ledger in
      _ = try await ledger.admit([.sample("a")])
      for words in ["2", "3"] { ledger.record(Self.problem(words, at: box.time.now)) }
      #expect(try await log(ledger).count == 3)
      try await pass(ledger, to: kept + 1)
    }
    try await box.run { ledger in
      #expect(try await log(ledger).map(\.sequence) == [1, 2, 3])
      ledger.record(Self.problem("new", at: box.time.now))
      #expect(try await log(ledger).map(\.sequence) == [1, 3, kept + 2])
      try await pass(ledger, to: kept + 3)
    }
    try await box.run { ledger in
      let left = try await log(ledger).map(\.sequence)
      #expect(left == [1, kept + 2])
    }
  }
}
