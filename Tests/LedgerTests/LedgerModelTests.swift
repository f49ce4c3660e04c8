import ChildProcesses
import Foundation
import Jobs
import MessageLiterals
import SQLite
import Testing

@testable import Ledger

/// A ledger that is read again is the ledger that was written: jobs, attempts, histories and events, after any mixture of what can
/// happen, with and without a crash. The model is the jobs as the writer answered with them.
@Suite(.aside) struct LedgerModelTests {
  private func expectSame(_ ledger: JobLedger, _ jobs: [JobNumber: Job], _ comment: Comment) async throws {
    for job in jobs.values {
      let read = try #require(try await ledger.job(.number(job.number)), comment)
      #expect(read == job, comment)
    }
    let read = try await ledger.jobs(JobFilter(), limit: 10_000)
    #expect(read == jobs.values.sorted { $0.number < $1.number }, comment)
    var states = JobFilter()
    for state in JobState.allCases {
      states.states = [state]
      #expect(
        try await ledger.jobs(states, limit: 10_000).map(\.number)
          == jobs.values.filter { $0.state == state }.map(\.number).sorted(), "\(comment): \(state)")
    }
    let counted = Dictionary(grouping: jobs.values, by: \.state).mapValues(\.count)
    #expect(try await ledger.counts(of: JobFilter()) == counted, comment)
    #expect(ledger.counts.jobs.byState == counted, comment)
    let ahead = jobs.values.filter { [.queued, .active].contains($0.state) && !$0.waitsForMedium }
    #expect(
      ledger.counts.ahead == Dictionary(grouping: ahead) { SpoolRoute(of: $0.ticket) }.mapValues(\.count), comment)
    for (state, count) in counted {
      let bytes = Step.allCases.map { ledger.counts.jobs.bytes($0, state) }.reduce(0, +)
      #expect(bytes == jobs.values.filter { $0.state == state }.map(\.identity.size).reduce(0, +), "\(state) \(count)")
    }
  }

  private func expectSameEvents(_ run: LedgerRun, _ ledger: JobLedger, page: Int) async throws {
    var read: [LoggedEvent] = []
    var position: Int64 = 0
    while true {
      let (events, upTo) = try await ledger.events(after: position, limit: page)
      #expect(events.allSatisfy { $0.sequence > position && $0.sequence <= upTo })
      read += events
      if upTo == position { break }
      position = upTo
    }
    #expect(position == ledger.counts.lastEvent, "an attempt without an event has a place in the log")
    #expect(read.map(\.sequence) == read.map(\.sequence).sorted())
    let jobs = read.compactMap { if case .job(let event) = $0 { event } else { nil } }
    #expect(jobs.count == run.box.events.count)
    for (read, told) in zip(jobs, run.box.events) { #expect(Told(read) == Told(told)) }
    for job in run.jobs.keys {
      #expect(
        try await ledger.history(of: job).map(\.kind) == run.box.events.filter { $0.job.number == job }.map(\.kind))
    }
  }

  private struct Told: Equatable {
    let sequence: Int64
    let at: Timestamp
    let kind: JobEvent.Kind
    let job: JobNumber
    let state: JobState
    let step: Step
    let revision: Int64
    let failure: String?
    let by: Caller?

    init(_ event: JobEvent) {
      (sequence, at, kind, job) = (event.sequence, event.at, event.kind, event.job.number)
      (state, step, revision) = (event.job.state, event.job.step, event.job.revision)
      (failure, by) = (event.job.failure?.words, event.by)
    }
  }

  @Test(arguments: Seeds.many(1...24)) func randomHistoryReadsBackAsWritten(_ seed: UInt64) async throws {
    let run = try LedgerRun(seed: seed)
    // A new ledger may have been made in place of another one, and trusts none of its uploads until then.
    _ = try await run.ledger.finishRecovery(by: .recovery)
    for step in 1...120 {
      try await run.step()
      try await run.settle()
      guard step.isMultiple(of: 40) else { continue }
      try await expectSame(run.ledger, run.jobs, "seed \(seed), step \(step)")
      try await expectSameEvents(run, run.ledger, page: [1, 7, 1000][step / 40 - 1])
      try await expectSameAfterACrash(run, "seed \(seed), step \(step), after a crash")
    }
    for job in run.jobs.values {
      let attempts = try await run.ledger.attempts(of: job.number)
      for each in Step.allCases {
        let ended = attempts.filter { $0.step == each }.map(\.number)
        let inFlight = job.state == .active && job.step == each ? 1 : 0
        #expect(ended == Array((1..<job.tries[each] + 1).dropLast(inFlight)))
      }
    }
  }

  private func expectSameAfterACrash(_ run: LedgerRun, _ comment: Comment) async throws {
    let box = try run.box.crashed()
    let ledger = try box.open()
    var expected = run.jobs
    for var job in run.jobs.values where job.state == .active {
      let attempts = try await run.ledger.attempts(of: job.number)
      let started = job.attemptStartedAt
      _ = try job.apply(.finished(attempt: job.attempt, .cut), now: box.time.now, steady: box.time.now)
      // the place of the attempt in the log: a new one
      let last = try #require(try await ledger.job(.number(job.number))?.lastEvent)
      #expect(last > run.box.events.last?.sequence ?? 0, comment)
      job.lastEvent = last
      expected[job.number] = job
      let after = try await ledger.attempts(of: job.number)
      #expect(after.count == attempts.count + 1, comment)
      #expect(after.last?.outcome == .cut || after.contains { $0.outcome == .cut && $0.startedAt == started }, comment)
    }
    try await expectSame(ledger, expected, comment)
    try ledger.close()
    #expect(try LedgerCheck.allFaults(in: box.directory) == [], comment)
  }

  @Test func jobsBeyondTheHeadOfTheQueueAreBegunInTheirTurn() async throws {
    let box = try LedgerBox()
    let most = 2 * QueueHead.limit
    try await box.run { ledger in
      for _ in 0..<4 { _ = try await ledger.admit((0..<most / 4).map { .sample("\($0)", priority: 0) }) }
      _ = try await ledger.admit([.sample("beyond"), .sample("first", priority: 1)])
      let begun = try await ledger.beginDue(upTo: 3, in: both)
      #expect(begun.map(\.number.rawValue) == [Int64(most + 2), 1, 2])
      #expect(ledger.counts.jobs[.queued] == most - 1)
      let rest = try await ledger.beginDue(upTo: most, in: Lanes(concurrency: most, destinations: [.storage("main")]))
      #expect(rest.map(\.number.rawValue) == Array(3...Int64(most + 1)).prefix(rest.count).map { $0 })
      #expect(rest.count > QueueHead.limit + QueueHead.refill)
    }
    let again = try box.open()
    #expect(again.counts.jobs[.queued] == most + 2)
    #expect(try await again.beginDue(upTo: 2, in: both).map(\.number.rawValue) == [Int64(most + 2), 1])
  }
}
