import ChildProcesses
import Jobs
import SQLite
import Synchronization
import Testing

@testable import Ledger

/// Jobs that are done leave the ledger in time; numbers never come again, ids may.
@Suite(.slot) struct HistoryTests {
  private let box: LedgerBox

  init() throws { box = try LedgerBox() }

  /// Admits jobs and does both steps of those that are to be done, and disposes of their files.
  private func finish(_ ledger: JobLedger, _ admissions: [Admission], disposed: Bool = true) async throws -> [Job] {
    let jobs = try await ledger.admit(admissions, begin: admissions.count, in: both)
    var done: [Job] = []
    for job in jobs {
      let register = try #require(try await ledger.finish(job, .uploaded(.sample), thenTakeIn: both).next)
      let job = try #require(try await ledger.finish(register, .registered(.sample), thenTakeIn: nil).job)
      if disposed { ledger.disposed([job]) }
      done.append(job)
    }
    _ = try await ledger.beginDue(upTo: 0, in: .none)  // what is noted is committed before this
    return done
  }

  private func forgetAll(_ ledger: JobLedger, _ time: Timestamp, atMost limit: Int = 2) async throws -> Int {
    var batches = 0
    var done = try await ledger.done(before: time, after: nil, limit: limit)
    while let last = done.last {
      try await ledger.forget(done)
      done = try await ledger.done(before: time, after: last, limit: limit)
      batches += 1
    }
    return batches
  }

  @Test func doneJobsLeaveWithTheirHistory() async throws {
    let ledger = try box.open()
    let done = try await finish(ledger, (1...5).map { .sample("\($0).pdf") })
    _ = try await ledger.admit([.sample("waits.pdf")])
    box.time.pass(.seconds(60))
    let young = try await finish(ledger, [.sample("young.pdf")])
    let cut = box.time.now + .seconds(-30)
    #expect(try await forgetAll(ledger, cut) == 3)
    #expect(
      try await ledger.jobs(JobFilter(), limit: 9).map(\.ticket.name.text).sorted() == ["waits.pdf", "young.pdf"])
    for job in done {
      #expect(try await ledger.history(of: job.number) == [])
      #expect(try await ledger.attempts(of: job.number) == [])
    }
    #expect(try await ledger.history(of: young[0].number).isEmpty == false)
    #expect(ledger.counts.jobs[.registered] == 1)
    #expect(ledger.counts.jobs[.queued] == 1)
  }

  @Test func registrationsAreCountedByMinute() async throws {
    let ledger = try box.open()
    for (names, pause) in [(["old"], 3600), (["a", "b"], 60), (["c"], 0)] {
      _ = try await finish(ledger, names.map { .sample($0) })
      box.time.pass(.seconds(pause))
    }
    let counted = try ledger.registrations(since: box.time.now + .seconds(-60))
    #expect(counted.map { box.time.now - $0.at } == [.seconds(60), .zero] && counted.map(\.count) == [2, 1])
  }

  /// A start looks at files while those of the last moments are still being removed.
  @Test func toleratesRepeatedOrLateDisposal() async throws {
    let ledger = try box.open()
    let done = try await finish(ledger, [.sample("a.pdf"), .sample("b.pdf")])
    box.time.pass(.seconds(1))
    ledger.disposed(done)
    _ = try await ledger.beginDue(upTo: 0, in: .none)
    #expect(try await ledger.job(.number(done[0].number))?.disposedAt == box.time.now + .seconds(-1))
    #expect(try await forgetAll(ledger, box.time.now) == 1)
    ledger.disposed(done)
    try ledger.close()
    #expect(try LedgerCheck.allFaults(in: box.directory) == [])
    #expect(box.problems.withLock { $0.isEmpty })
  }

  @Test func undisposedJobsAreKept() async throws {
    let ledger = try box.open()
    _ = try await finish(ledger, [.sample("a.pdf")], disposed: false)
    box.time.pass(.seconds(60))
    #expect(try await forgetAll(ledger, box.time.now) == 0)
    #expect(try await ledger.undisposed(spool: "documents", after: nil, limit: 9).count == 1)
    #expect(try await ledger.undisposed(spool: "other", after: nil, limit: 9).isEmpty)
  }

  @Test func reusedIDGetsNewNumber() async throws {
    let admission = Admission.sample("a.pdf")
    var first: [Job] = []
    do {
      let ledger = try box.open()
      first = try await finish(ledger, [admission])
      box.time.pass(.seconds(60))
      #expect(try await forgetAll(ledger, box.time.now) == 1)
    }
    let ledger = try box.open()
    #expect(ledger.counts.jobs[.registered] == 0)
    let second = try await finish(ledger, [admission])
    #expect(first.map(\.number.rawValue) == [1])
    #expect(second.map(\.number.rawValue) == [2])
    #expect(second.map(\.ticket.id) == first.map(\.ticket.id))
    #expect(try await ledger.attempts(of: second[0].number).count == 2)
  }

  /// Numbers grow with time, but for a clock that was set: jobs that seem young do not hide an old one behind them.
  @Test func findsOldJobBehindYoungerOnes() async throws {
    let ledger = try box.open()
    _ = try await ledger.admit((1...300).map { .sample("\($0).pdf") })
    let done = try await finish(ledger, [.sample("done.pdf", priority: 1)])
    box.time.pass(.seconds(60))
    #expect(done[0].ticket.createdAt > box.time.now, "the samples are of the future")
    #expect(try await forgetAll(ledger, box.time.now) == 1)
    #expect(ledger.counts.jobs.byState == [.queued: 300])
  }
}
