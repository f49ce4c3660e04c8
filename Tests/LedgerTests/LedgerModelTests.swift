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
  /// A ledger under a random load, and all that it has answered.
  private final class Run {
    let box: LedgerBox
    let ledger: JobLedger
    var random: SplitMix64
    var jobs: [JobNumber: Job] = [:]
    private var files = 0

    init(seed: UInt64) throws {
      box = try LedgerBox()
      ledger = try box.open()
      random = SplitMix64(seed: seed)
    }

    private func pick(_ state: JobState...) -> Job? {
      jobs.values.filter { state.contains($0.state) }.sorted { $0.number < $1.number }.randomElement(using: &random)
    }

    private func note(_ job: Job?) {
      if let job { jobs[job.number] = job }
    }

    func step() async throws {
      box.time.pass(.microseconds(.random(in: 1...2_000_000, using: &random)))
      switch Int.random(in: 0..<16, using: &random) {
      case 0, 1, 2: try await admit()
      case 3: for job in try await ledger.beginDue(upTo: .random(in: 1...3, using: &random), in: both) { note(job) }
      case 4...10: try await finish()
      case 11, 12: try await answer()
      case 13: try await release()
      case 14: try await dispose()
      default: try await pause()
      }
    }

    private func admit() async throws {
      let admissions = (0..<Int.random(in: 1...4, using: &random)).map { _ in
        files += 1
        return Admission.sample(
          "\(files)", spool: ["a", "b"].randomElement(using: &random) ?? "a",
          priority: .random(in: 0...1, using: &random),
          size: [3, 1 << 30].randomElement(using: &random) ?? 3)
      }
      let before = ledger.counts.jobs.byState.values.reduce(0, +)
      for job in try await ledger.admit(admissions, begin: .random(in: 0...2, using: &random), in: both) { note(job) }
      #expect(ledger.counts.jobs.byState.values.reduce(0, +) == before + admissions.count)
      for event in box.events where event.kind == .admitted && jobs[event.job.number] == nil { note(event.job) }
    }

    private func finish() async throws {
      guard let job = pick(.active) else { return }
      let (done, next) = try await ledger.finish(job, result(job), thenTakeIn: Bool.random(using: &random) ? both : nil)
      note(done)
      note(next)
    }

    private func result(_ job: Job) -> AttemptResult {
      let failure = Failure(.rejected, "HTTP 422: \(files)", status: 422, mayHaveActed: Bool.random(using: &random))
      let verdicts: [Verdict] = [.abort, .retry(after: .seconds(1)), .wait(after: .seconds(2)), .ask, .requeue]
      let verdict = verdicts.randomElement(using: &random) ?? .ask
      return switch Int.random(in: 0..<10, using: &random) {
      case 0: .cut
      case 1, 2: .failed(failure, verdict)
      case 4 where job.step == .upload:
        .recognized(
          Recognized(
            job: JobNumber(rawValue: 1), sha256: String(repeating: "0", count: 64),
            isSameFile: Bool.random(using: &random)))
      case 5 where job.step == .upload:
        .failed(Failure(.rejected, "the same bytes", code: Failure.duplicateCode), .ask)
      case 3 where job.step == .upload:
        .changed(failure, .requeue, now: FileIdentity(device: 1, inode: 2, size: 9, modified: 5, changed: 6))
      default: job.step == .upload ? .uploaded(.sample) : .registered(.sample)
      }
    }

    private func answer() async throws {
      guard let job = jobs.values.sorted(by: { $0.number < $1.number }).randomElement(using: &random) else { return }
      let alice = Caller(uid: 1000, user: "alice")
      let link = Bool.random(using: &random) ? StoredLink.sample : nil
      let commands: [JobCommand] = [
        .confirm(link: link?.link), .retry, .cancel(reason: "why not", remove: Bool.random(using: &random)), .discard,
        .release(to: "/tmp"),
      ]
      let command = commands.randomElement(using: &random) ?? commands[0]
      do {
        let confirmed = command.name == .confirm ? link : nil
        note(try await ledger.carryOut(command, on: .number(job.number), by: alice, link: confirmed).job)
      } catch is Refusal {
        // it does not fit the state
      }
    }

    private func release() async throws {
      guard let job = jobs.values.first(where: { $0.release != nil && $0.state != .discarded }) else { return }
      note(
        Bool.random(using: &random)
          ? try await ledger.released(job.number) : try await ledger.releaseFailed(job.number))
    }

    private func dispose() async throws {
      guard var job = pick(.registered, .skipped, .discarded), job.disposedAt == nil else { return }
      ledger.disposed([job])
      _ = try await ledger.beginDue(upTo: 0, in: .none)  // what is noted is committed before this
      _ = try job.apply(.disposed, now: box.time.now, steady: box.time.now)
      note(job)
    }

    private func pause() async throws {
      let alice = Caller(uid: 1000, user: "alice")
      _ = try await ledger.pause(.spool("a"), by: alice)
      if Bool.random(using: &random) { _ = try await ledger.resume(.spool("a"), by: alice) }
    }

    /// Takes in what changed without an answer: jobs whose time has come.
    func settle() async throws {
      for job in jobs.values where job.state == .deferred {
        guard let due = job.nextAttemptAt, due <= box.time.now else { continue }
        note(try await ledger.job(.number(job.number)))
      }
    }
  }

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
    for (state, count) in counted {
      let bytes = Step.allCases.map { ledger.counts.jobs.bytes($0, state) }.reduce(0, +)
      #expect(bytes == jobs.values.filter { $0.state == state }.map(\.identity.size).reduce(0, +), "\(state) \(count)")
    }
  }

  /// The events as they were told, and as they are read in pages.
  private func expectSameEvents(_ run: Run, _ ledger: JobLedger, page: Int) async throws {
    var read: [LoggedEvent] = []
    var position: Int64 = 0
    while true {
      let (events, upTo) = try await ledger.events(after: position, limit: page)
      #expect(events.allSatisfy { $0.sequence > position && $0.sequence <= upTo })
      read += events
      if upTo == position { break }
      position = upTo
    }
    #expect(read.map(\.sequence) == read.map(\.sequence).sorted())
    let jobs = read.compactMap { if case .job(let event) = $0 { event } else { nil } }
    #expect(jobs.count == run.box.events.count)
    for (read, told) in zip(jobs, run.box.events) { #expect(Told(read) == Told(told)) }
    for job in run.jobs.keys {
      #expect(
        try await ledger.history(of: job).map(\.event) == run.box.events.filter { $0.job.number == job }.map(\.kind))
    }
  }

  /// The facts of an event that the stream keeps.
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

  /// The ledger's files as they stand, in another place.
  private func crashed(_ run: Run) throws -> LedgerBox {
    let other = try LedgerBox()
    other.time.pass(run.box.time.now - other.time.now)
    for tail in ["", "-wal"] {
      let name = "/" + JobLedger.fileName + tail
      try FileManager.default.copyItem(atPath: run.box.directory + name, toPath: other.directory + name)
    }
    return other
  }

  @Test(arguments: Seeds.many(1...24)) func randomHistoryReadsBackAsWritten(_ seed: UInt64) async throws {
    let run = try Run(seed: seed)
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

  private func expectSameAfterACrash(_ run: Run, _ comment: Comment) async throws {
    let box = try crashed(run)
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
    #expect(try LedgerCheck(path: LedgerCheck.path(in: box.directory)).faults() == [], comment)
  }

  /// Jobs beyond those that memory has room for go the same way.
  @Test func jobsBeyondTheHeadOfTheQueueAreBegunInTheirTurn() async throws {
    let box = try LedgerBox()
    let most = 2 * QueueHead.limit
    try await {
      let ledger = try box.open()
      for _ in 0..<4 { _ = try await ledger.admit((0..<most / 4).map { .sample("\($0)", priority: 0) }) }
      _ = try await ledger.admit([.sample("beyond"), .sample("first", priority: 1)])
      let begun = try await ledger.beginDue(upTo: 3, in: both)
      #expect(begun.map(\.number.rawValue) == [Int64(most + 2), 1, 2])
      #expect(ledger.counts.jobs[.queued] == most - 1)
      let rest = try await ledger.beginDue(
        upTo: most, in: Lanes(concurrency: most, destinations: [.storage("main")]))
      #expect(rest.map(\.number.rawValue) == Array(3...Int64(most + 1)).prefix(rest.count).map { $0 })
      #expect(rest.count > QueueHead.limit + QueueHead.refill)
      try ledger.close()
    }()
    let again = try box.open()
    #expect(again.counts.jobs[.queued] == most + 2)
    #expect(try await again.beginDue(upTo: 2, in: both).map(\.number.rawValue) == [Int64(most + 2), 1])
  }

  /// An attempt that takes longer than events are kept is cut by a crash all the same.
  @Test func keepsStartOfRunningAttempt() async throws {
    let run = try Run(seed: 1)
    let slow = try #require(try await run.ledger.admit([.sample("slow")], begin: 1, in: both).first)
    run.box.time.pass(.seconds(60))
    let last = JobLedger.eventsKept + 10_000
    // as if so many events had come, and left with their jobs
    try await run.ledger.writer.perform { batch in batch.memory.position.lastSequence = last }
    _ = try await run.ledger.admit([.sample("next")])
    let ledger = try crashed(run).open()
    let attempts = try await ledger.attempts(of: slow.number)
    #expect(attempts.map(\.outcome) == [.cut] && attempts.first?.startedAt == slow.attemptStartedAt)
    // only its job's history has an attempt that ended without an event
    #expect(try await ledger.history(of: slow.number).map(\.event) == [.admitted])
    #expect(try await ledger.log(EventFilter(), order: .oldest, limit: 9).events.map(\.sequence) == [last + 1])
  }
}
