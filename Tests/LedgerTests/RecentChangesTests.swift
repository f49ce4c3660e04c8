import ChildProcesses
import ControlAPI
import Jobs
import MessageLiterals
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
    /// The commits so far, each with the place after its changes.
    private(set) var commits: [(commit: Commit, place: Int)] = []

    init(seed: UInt64, limit: Int) async throws {
      run = try LedgerRun(seed: seed)
      recent = RecentChanges(limit: limit, after: 0, from: 0, readAt: run.box.time.now)
      await run.ledger.noteChanges()
    }

    /// Takes in the commits that there are, once all that was noted is committed.
    func catchUp() async throws {
      _ = try await run.ledger.beginDue(upTo: 0, in: .none)
      for commit in run.box.commits.withLock({ $0 }).dropFirst(commits.count) {
        changes.append(commit.changed.map(\.number))
        recent.append(commit, upTo: changes.end, at: run.box.time.now)
        commits.append((commit, changes.end))
      }
    }

    /// Something that concerns no job, that everybody is told of or that only the log has.
    func note() async throws {
      let occurrence = Occurrence(
        .spoolProblem, of: .spool("a"), at: run.box.time.now, message: .text("spool a: gone"), reason: .text("gone"))
      if Bool.random(using: &run.random) {
        run.ledger.record(occurrence)
      } else {
        try await run.ledger.writer.perform { batch in try batch.record(occurrence) }
      }
    }
  }

  /// The messages that a copy gets of events and jobs.
  private static func told(_ events: [LoggedEvent]) -> [ChangesMessage.Event] {
    events.map { event in
      switch event {
      case .job(let event): ChangesMessage.Event(event)
      case .occurrence(let event): ChangesMessage.Event(EventMessage(event))
      }
    }
  }

  private static func told(_ events: [RecentEvent]) -> [ChangesMessage.Event] { told(events.map(\.logged)) }

  private static func told(_ jobs: [RecentJob]) -> [JobMessage] { told(jobs.map(\.job)) }

  private static func told(_ jobs: [Job]) -> [JobMessage] {
    jobs.sorted { $0.number < $1.number }.map { JobMessage($0, path: nil, heldBy: nil) }
  }

  /// A copy that reads now and then, in pages of any size, from memory that reaches back for a while.
  @Test(arguments: Seeds.many(1...16)) func memoryAnswersAsLedgerDoes(_ seed: UInt64) async throws {
    let told = try await Told(seed: seed, limit: [10_000, 60_000, 10 << 20][Int(seed) % 3])
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
      told.recent.read(upTo: sequence, place, at: told.run.box.time.now)
      let read = try await told.run.ledger.changes(after: sequence, limit: .max, of: page.jobs)
      let comment: Comment = "seed \(seed), step \(step)"
      if let answer = told.recent.answer(after: sequence, from: place, of: page.jobs, limit: limit) {
        answers += 1
        #expect(answer.events.count <= limit && answer.upTo <= last, comment)
        #expect(answer.events.count == limit || answer.upTo == last, comment)
        #expect(Self.told(answer.events) == Self.told(read.events.filter { $0.sequence <= answer.upTo }), comment)
        #expect(Self.told(answer.jobs) == Self.told(read.jobs), comment)
        #expect(Set(answer.gone) == Set(page.jobs).subtracting(read.jobs.map(\.number)), comment)
        sequence = answer.upTo
      } else {
        sequence = read.upTo
      }
      place = page.end
    }
    #expect(answers > 5, "seed \(seed)")
  }

  /// What is told if nothing but what all copies have is ever forgotten.
  private struct Model {
    /// All events after this one are kept, and all changes from this place on.
    private var start = (sequence: Int64(0), place: 0)

    mutating func read(upTo sequence: Int64, _ place: Int, of commits: [(commit: Commit, place: Int)]) {
      for (commit, end) in commits where end >= start.place && commit.counts.lastEvent >= start.sequence {
        guard commit.counts.lastEvent <= sequence, end <= place else { return }
        start = (commit.counts.lastEvent, end)
      }
    }

    func answer(
      after sequence: Int64, from place: Int, of numbers: [JobNumber], limit: Int,
      _ commits: [(commit: Commit, place: Int)]
    ) -> (events: [ChangesMessage.Event], upTo: ClosedRange<Int64>, jobs: [JobMessage], gone: Set<JobNumber>)? {
      guard sequence >= start.sequence, place >= start.place else { return nil }
      var now: [JobNumber: Job?] = [:]
      var all: [LoggedEvent] = []
      for (commit, _) in commits {
        for change in commit.changed { now[change.number] = .some(change.job) }
        all += commit.events.map { .job(EventRow.asRead($0)) } + commit.recorded.map { .occurrence($0) }
      }
      all.sort { $0.sequence < $1.sequence }
      var events: [LoggedEvent] = []
      // some numbers are of attempts that ended without an event
      let last = max(sequence, commits.last?.commit.counts.lastEvent ?? 0)
      var (upTo, passed) = (last...last, sequence)
      for event in all where event.sequence > sequence {
        if events.count == limit {
          upTo = passed...event.sequence - 1
          break
        }
        passed = event.sequence
        if case .job(let told) = event, now[told.job.number] == .some(nil) { continue }
        events.append(event)
      }
      let jobs = numbers.compactMap { now[$0] ?? nil }
      return (told(events), upTo, told(jobs), Set(numbers).subtracting(jobs.map(\.number)))
    }
  }

  /// Two copies that are not equally far, and read in turns: neither takes from the other what it was not told of yet, unless the list
  /// says so.
  @Test(arguments: Seeds.many(1...16)) func twoCopiesAreToldAll(_ seed: UInt64) async throws {
    let isBounded = seed.isMultiple(of: 2)
    let told = try await Told(seed: seed, limit: isBounded ? 30_000 : 10 << 20)
    var model = Model()
    var copies: [(sequence: Int64, place: Int, answers: Int)] = [(0, 0, 0), (0, 0, 0)]
    for step in 1...200 {
      try await told.run.step()
      try await told.run.settle()
      if step.isMultiple(of: 9) { try await told.note() }
      if step.isMultiple(of: 11) { try await told.run.forget() }
      // one reads often and in small pages, the other rarely
      let isFirst = Int.random(in: 0..<3, using: &told.run.random) < 2
      guard Int.random(in: 0..<(isFirst ? 3 : 6), using: &told.run.random) == 0 else { continue }
      try await told.catchUp()

      var copy = copies[isFirst ? 0 : 1]
      let limit = Int.random(in: isFirst ? 1...9 : 5...40, using: &told.run.random)
      let page = try #require(told.changes.page(from: copy.place, limit: limit))
      told.recent.read(upTo: copy.sequence, copy.place, at: told.run.box.time.now)
      model.read(upTo: copy.sequence, copy.place, of: told.commits)
      let answer = told.recent.answer(after: copy.sequence, from: copy.place, of: page.jobs, limit: limit)
      let expected = model.answer(
        after: copy.sequence, from: copy.place, of: page.jobs, limit: limit, told.commits)
      let comment: Comment = "seed \(seed), step \(step), copy \(copy)"
      #expect(answer == nil || expected != nil, comment)
      #expect(isBounded || (answer == nil) == (expected == nil), comment)
      if let answer, let expected {
        copy.answers += 1
        #expect(Self.told(answer.events) == expected.events, comment)
        #expect(expected.upTo.contains(answer.upTo), comment)
        #expect(Self.told(answer.jobs) == expected.jobs, comment)
        #expect(Set(answer.gone) == expected.gone, comment)
      }
      let end = answer?.upTo ?? told.run.ledger.counts.lastEvent
      copies[isFirst ? 0 : 1] = (end, page.end, copy.answers)
    }
    #expect(copies.allSatisfy { $0.answers > 1 }, "seed \(seed): \(copies)")
  }

  @Test func copyThatIsTooFarBehindReadsLedger() async throws {
    let told = try await Told(seed: 1, limit: 2500)
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
    told.recent.read(upTo: 4, end, at: told.run.box.time.now)
    #expect(told.recent.answer(after: 3, from: end, of: [], limit: 10) == nil)
    #expect(told.recent.answer(after: 4, from: end, of: [], limit: 10)?.upTo == 4)
  }

  /// All that a message shows of a job, as the ledger has it; and no body, receipt, sum or answer of a server.
  @Test func jobsHaveWhatCopiesAreTold() async throws {
    let told = try await Told(seed: 1, limit: 1 << 20)
    let ledger = told.run.ledger
    let numbers = try await ledger.admit([.sample("a"), .sample("b"), .sample("c"), .sample("d")], begin: 4, in: both)
      .map(\.number)
    func job(_ index: Int) async throws -> Job { try #require(try await ledger.job(.number(numbers[index]))) }
    for index in 0...1 { _ = try await ledger.finish(try await job(index), .uploaded(.sample), thenTakeIn: nil) }
    _ = try await ledger.beginDue(upTo: 4, in: both)
    _ = try await ledger.finish(try await job(0), .registered(.sample), thenTakeIn: nil)
    let failure = Failure(.rejected, "HTTP 422: a", status: 422, answer: "a long answer")
    _ = try await ledger.finish(try await job(2), .failed(failure, .ask), thenTakeIn: nil)
    _ = try await ledger.carryOut(
      .cancel(reason: nil, remove: true), on: .number(numbers[3]), by: Caller(uid: 1, user: "alice"))
    try await told.catchUp()

    let answer = try #require(told.recent.answer(after: 0, from: 0, of: numbers, limit: 100))
    let read = try await ledger.changes(after: 0, limit: 100, of: numbers)
    #expect(Self.told(answer.jobs) == Self.told(read.jobs))
    #expect(Self.told(answer.events) == Self.told(read.events))
    let jobs = answer.jobs.map(\.job)
    #expect(jobs.map(\.link?.link) == read.jobs.map(\.link?.link))
    #expect(jobs.allSatisfy { $0.stored?.body.isEmpty != false && $0.stored?.receipt == nil })
    #expect(jobs.allSatisfy { $0.registration == nil && $0.failure?.answer == nil })
    #expect(read.jobs.contains { $0.registration != nil })
  }

  /// An event has nothing of its job that may be large and that no copy is told of: it stays when the job has left.
  @Test func eventsHoldNoMetadata() async throws {
    let told = try await Told(seed: 1, limit: 1 << 20)
    let ledger = told.run.ledger
    let jobs = try await ledger.admit([.sample("a"), .sample("b")], begin: 2, in: both)
    _ = try await ledger.finish(jobs[0], .uploaded(.sample), thenTakeIn: nil)
    _ = try await ledger.finish(
      jobs[1], .failed(Failure(.rejected, "HTTP 422: a", status: 422), .ask), thenTakeIn: nil)
    try await told.catchUp()
    let answer = try #require(told.recent.answer(after: 0, from: 0, of: [], limit: 100))
    let events = answer.events.compactMap { event in
      if case .job(let event) = event.logged { event } else { nil }
    }
    #expect(events.map(\.kind) == [.admitted, .admitted, .uploaded, .question])
    #expect(jobs.allSatisfy { !$0.ticket.metadata.isEmpty })
    #expect(events.allSatisfy { $0.job.ticket.metadata.isEmpty && $0.job.ticket.key.isEmpty })
  }

  /// Its size follows what is in it, and stays below the limit.
  @Test func sizeIsBounded() async throws {
    let limit = 20_000
    let told = try await Told(seed: 2, limit: limit)
    var most = 0
    for name in 1...60 {
      _ = try await told.run.ledger.admit([.sample("\(name)")])
      try await told.catchUp()
      #expect(told.recent.bytes <= limit)
      most = max(most, told.recent.bytes)
    }
    #expect(most > limit / 2)
    // nothing of what a copy has is left
    let last = told.run.ledger.counts.lastEvent
    told.recent.read(upTo: last, told.changes.end, at: told.run.box.time.now)
    #expect(told.recent.bytes == 0)
  }

  /// Nothing is kept for a copy that has not asked for a minute; one that asks again is told of what comes then.
  @Test func nothingIsKeptWithoutReader() async throws {
    let told = try await Told(seed: 3, limit: 1 << 20)
    let time = told.run.box.time
    func admit(_ name: String) async throws {
      _ = try await told.run.ledger.admit([.sample(name)])
      try await told.catchUp()
    }
    try await admit("a")
    time.pass(RecentChanges.patience)
    try await admit("b")
    #expect(told.recent.bytes > 0)
    time.pass(.seconds(1))
    try await admit("c")
    #expect(told.recent.bytes == 0)
    let end = told.changes.end
    told.recent.read(upTo: 1, 1, at: time.now)
    #expect(told.recent.answer(after: 1, from: 1, of: [], limit: 10) == nil)
    try await admit("d")
    #expect(told.recent.answer(after: 3, from: end, of: [], limit: 10)?.events.map(\.sequence) == [4])
  }
}
