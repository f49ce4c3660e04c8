import ChildProcesses
import Jobs
import MessageLiterals
import SQLite
import Synchronization
import Testing

@testable import Ledger

@Suite(.slot) struct CleanupTests {
  private static let storage = Destination.storage("main")
  private static let lost = AttemptResult.failed(Failure(.transient, "the answer was lost", mayHaveActed: true), .ask)
  private static let denied = Failure(.destination, "HTTP 403 AccessDenied", status: 403, code: "AccessDenied")

  private let box: LedgerBox

  init() throws { box = try LedgerBox() }

  private static let landing = Duration.seconds(5)

  private func owing(_ count: Int = 1, remove: Bool = false, spool: String = "documents") async throws -> JobLedger {
    let ledger = try box.open()
    let jobs = try await ledger.admit((1...count).map { .sample("\($0)", spool: spool) }, begin: count, in: both)
    for job in jobs {
      _ = try await ledger.finish(job, Self.lost, thenTakeIn: nil)
      try await cancel(ledger, job.number.rawValue, remove: remove)
    }
    return ledger
  }

  private func cancel(_ ledger: JobLedger, _ number: Int64, remove: Bool = false) async throws {
    _ = try await ledger.carryOut(.cancel(remove: remove), on: .number(JobNumber(rawValue: number)), by: .alice)
  }

  private func job(_ ledger: JobLedger, _ number: Int64 = 1) async throws -> Job {
    try #require(try await ledger.job(.number(JobNumber(rawValue: number))))
  }

  private func take(_ ledger: JobLedger, _ limit: Int = 9) async throws -> [Cleanup] {
    try await ledger.beginDueCleanups(upTo: limit, in: both)
  }

  private func finish(_ ledger: JobLedger, _ cleanup: Cleanup, _ result: CleanupResult) async throws {
    try await ledger.finish(cleanup, result, landing: Self.landing)
  }

  /// Finishes both looks of a cleanup: its job's request was not answered, and may take effect after the first one.
  private func finishTwice(_ ledger: JobLedger, _ cleanup: Cleanup, _ result: CleanupResult) async throws {
    try await finish(ledger, cleanup, result)
    #expect(ledger.counts.nextCleanup(in: both) == box.time.now + Self.landing)
    box.time.pass(Self.landing)
    let second = try #require(try await take(ledger).first)
    #expect(second.job == cleanup.job)
    try await finish(ledger, second, .absent)
  }

  @Test func cleanupIsStoredCompletely() async throws {
    let job: Job
    do {
      let ledger = try box.open()
      let begun = try #require(try await ledger.admit([.sample("a")], begin: 1, in: both).first)
      _ = try await ledger.finish(begun, .uploaded(.sample(sha256: "00", version: "v1")), thenTakeIn: nil)
      try await cancel(ledger, 1, remove: true)
      job = try await self.job(ledger)
      #expect(job.link == nil && job.step == .upload && job.destination == Self.storage)
      let cleanup = try #require(try await take(ledger).first)
      try await finish(ledger, cleanup, .failed(Self.denied, .ask))
    }
    let ledger = try box.open()
    // The ledger of the test has never said that it knows all files.
    var same = job
    same.mayBeForgotten = true
    #expect(try await self.job(ledger) == same)
    let cleanup = try #require(try await ledger.cleanup(of: job.number))
    #expect(
      cleanup
        == Cleanup(
          job: job.number, id: job.ticket.id, spool: "documents", storage: "main", bucket: "documents", key: "1/a",
          aim: .remove, version: "v1", tries: 1, nextAt: box.time.now, failure: Self.denied))
  }

  /// A start sets the times anew: an upload of the daemon that was killed may land, and a deletion that it had in flight.
  @Test(arguments: [false, true]) func startWaitsForWhatWasOnItsWay(_ isInFlight: Bool) async throws {
    do {
      let ledger = try await owing(remove: true)
      let cleanup = try #require(try await take(ledger).first)
      if !isInFlight {
        try await finish(ledger, cleanup, .absent)
        #expect(try await take(ledger).isEmpty, "the second look is not due yet")
      }
      try ledger.close()
    }
    let ledger = try box.open()
    let first = try #require(try await take(ledger).first)
    #expect(first.uploadUnheardAt == box.time.now && first.deletionUnheardAt == (isInFlight ? box.time.now : nil))
    try await finishTwice(ledger, first, .absent)
    #expect(try await job(ledger).remote == .clean)
  }

  @Test func cleanupOutlivesItsJob() async throws {
    let ledger = try await owing(2, remove: true)
    for number in 1...2 {
      let job = JobNumber(rawValue: Int64(number))
      let discarded = try await ledger.carryOut(.discard, on: .number(job), by: .alice).job
      ledger.disposed([discarded])
    }
    _ = try await ledger.beginDue(upTo: 0, in: .none)  // what is noted is committed before this
    box.time.pass(.seconds(60))
    try await ledger.forget(try await ledger.done(before: box.time.now, after: nil, limit: 9))
    #expect(try await ledger.jobs(JobFilter(), limit: 9).isEmpty)
    #expect(try await ledger.cleanupsOwed() == 2)
    let cleanups = try await take(ledger)
    #expect(cleanups.count == 2)
    // By now every request that was under way has landed.
    try await finish(ledger, cleanups[0], .removed)
    try await finish(ledger, cleanups[1], .refused(Self.denied))
    #expect(try await ledger.cleanupsOwed() == 0)
    for cleanup in cleanups { #expect(try await ledger.cleanup(of: cleanup.job) == nil) }
    let told = try #require(box.commits.withLock { $0.flatMap(\.occurrences) }.last)
    #expect(told.kind == .objectLeft && told.subject == .destination(Self.storage))
    #expect(told.message == "The object 1/a of job 2 may be left at storage.main: HTTP 403 AccessDenied")
    let log = try await ledger.events(after: 0, limit: 99).events
    #expect(log.last == .occurrence(told))
  }
}
