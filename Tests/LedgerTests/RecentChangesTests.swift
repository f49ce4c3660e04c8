import ChildProcesses
import Jobs
import Messages
import Synchronization
import Testing

@testable import Ledger

/// A copy of the ledger is told the same by what the latest commits left in memory as by the ledger itself.
@Suite(.aside) struct RecentChangesTests {
  /// A ledger under a random load, and what is kept of its commits.
  private final class Told {
    let run: LedgerRun
    var changes = ChangeList(limit: 1000)
    var recent: RecentChanges
    private var taken = 0

    init(seed: UInt64, limit: Int) async throws {
      run = try LedgerRun(seed: seed)
      recent = RecentChanges(limit: limit, after: 0, from: 0)
      await run.ledger.noteChanges()
    }

    /// Takes in the commits that there are, once all that was noted is committed.
    func catchUp() async throws {
      _ = try await run.ledger.beginDue(upTo: 0, in: .none)
      for commit in run.box.commits.withLock({ $0 }).dropFirst(taken) {
        changes.append(commit.changed.map(\.number))
        recent.append(commit, upTo: changes.end)
        taken += 1
      }
    }

    /// Something that concerns no job, that everybody is told of or that only the log has.
    func note() async throws {
      let occurrence = Occurrence(
        .spoolProblem, of: .spool("a"), at: run.box.time.now, message: .text("spool a: gone"), reason: .text("gone"))
      if Bool.random(using: &run.random) {
        run.ledger.record(occurrence)
      } else {
        try await run.ledger.recordNow(occurrence)
      }
    }
  }

  /// The facts of an event that a copy has.
  private struct Fact: Equatable {
    let sequence: Int64
    let at: Timestamp
    let said: Message
    let reason: Message?
    let by: Caller?
    let job: JobNumber?
    let revision: Int64?

    init(_ event: LoggedEvent) {
      switch event {
      case .job(let event):
        (sequence, at, said, reason, by) = (event.sequence, event.at, event.said, event.reason, event.by)
        (job, revision) = (event.job.number, event.job.revision)
      case .occurrence(let event):
        (sequence, at, said, reason, by) = (event.sequence, event.at, event.said, event.reason, event.by)
        (job, revision) = (nil, nil)
      }
    }
  }

  /// A copy that reads now and then, in pages of any size, from memory that reaches back for a while.
  @Test(arguments: Seeds.many(1...16)) func memoryAnswersAsLedgerDoes(_ seed: UInt64) async throws {
    let told = try await Told(seed: seed, limit: [40, 200, 10_000][Int(seed) % 3])
    var (sequence, place, answers) = (Int64(0), 0, 0)
    for step in 1...150 {
      try await told.run.step()
      try await told.run.settle()
      if step.isMultiple(of: 9) { try await told.note() }
      if step.isMultiple(of: 11) { try await told.run.forget() }
      guard Int.random(in: 0..<4, using: &told.run.random) == 0 else { continue }
      try await told.catchUp()

      let last = told.run.ledger.counts.lastEvent
      let limit = Int.random(in: 1...30, using: &told.run.random)
      let page = try #require(told.changes.page(from: place, limit: limit))
      told.recent.drop(upTo: sequence, place)
      let read = try await told.run.ledger.changes(after: sequence, limit: .max, of: page.jobs)
      let comment: Comment = "seed \(seed), step \(step)"
      if let answer = told.recent.answer(after: sequence, from: place, of: page.jobs, limit: limit) {
        answers += 1
        #expect(answer.events.count <= limit && answer.upTo <= last, comment)
        #expect(answer.events.count == limit || answer.upTo == last, comment)
        #expect(
          answer.events.map(Fact.init) == read.events.filter { $0.sequence <= answer.upTo }.map(Fact.init), comment)
        #expect(answer.jobs.sorted { $0.number < $1.number } == read.jobs.sorted { $0.number < $1.number }, comment)
        #expect(Set(answer.gone) == Set(page.jobs).subtracting(read.jobs.map(\.number)), comment)
        sequence = answer.upTo
      } else {
        sequence = read.upTo
      }
      place = page.end
    }
    #expect(answers > 5, "seed \(seed)")
  }

  @Test func copyThatIsTooFarBehindReadsLedger() async throws {
    let told = try await Told(seed: 1, limit: 6)
    for _ in 1...4 {
      _ = try await told.run.ledger.admit([.sample("a")])
      try await told.catchUp()
    }
    let end = told.changes.end
    #expect(told.recent.answer(after: 0, from: 0, of: [], limit: 10) == nil)
    #expect(told.recent.answer(after: 0, from: end, of: [], limit: 10) == nil)
    #expect(told.recent.answer(after: 4, from: 0, of: [], limit: 10) == nil)
    #expect(told.recent.answer(after: 4, from: end, of: [], limit: 10)?.upTo == 4)
    #expect(told.recent.answer(after: 3, from: end - 1, of: [], limit: 10)?.events.map(\.sequence) == [4])
    // what the copy has is not kept for it
    told.recent.drop(upTo: 4, end)
    #expect(told.recent.answer(after: 3, from: end, of: [], limit: 10) == nil)
    #expect(told.recent.answer(after: 4, from: end, of: [], limit: 10)?.upTo == 4)
  }
}
