import Jobs
import MessageLiterals
import Messages
import SQLite
import Synchronization
import Testing

@testable import Ledger

/// Jobs behind gates and pauses, as the writer hands them out.
@Suite struct GateTests {
  private static let storage = Destination.storage("main")

  private static let unavailable = AttemptResult.failed(
    Failure(.unavailable, "HTTP 503", status: 503, retryAfter: .seconds(5)), .abort)
  private static let refused = AttemptResult.failed(Failure(.credentials, "HTTP 401", status: 401), .awaitCredentials)
  private static let unreachable = AttemptResult.failed(Failure(.network, "no route"), .awaitNetwork)
  private static let noBucket = AttemptResult.failed(Failure(.destination, "HTTP 404 NoSuchBucket", status: 404), .ask)

  private func numbers(_ jobs: [Job]) -> [Int64] { jobs.map(\.number.rawValue) }

  private func state(_ ledger: JobLedger, _ number: Int64) async throws -> JobState? {
    try await ledger.job(.number(JobNumber(rawValue: number)))?.state
  }

  private func reason(_ ledger: JobLedger) -> Gate.Reason? { ledger.counts.gates[Self.storage]?.closure?.reason }

  /// A ledger with so many jobs, some of them begun.
  private func filled(_ box: LedgerBox, jobs: Int, begun: Int) async throws -> (JobLedger, [Job]) {
    let ledger = try box.open()
    let active = try await ledger.admit((1...jobs).map { .sample("\($0)") }, begin: begun, in: both)
    return (ledger, active)
  }

  @Test func closedGateAllowsOneTimedProbe() async throws {
    let box = try LedgerBox()
    let (ledger, active) = try await filled(box, jobs: 6, begun: 2)
    let ended = try await ledger.finish(active[0], Self.unavailable, thenTakeIn: both)
    #expect(ended.job?.state == .aborted && ended.next == nil)
    _ = try await ledger.finish(active[1], Self.unavailable, thenTakeIn: both)
    #expect(try await ledger.beginDue(upTo: 9, in: both).isEmpty)
    #expect(!ledger.counts.canStart(at: Self.storage) && ledger.counts.nextTime == box.time.now + .seconds(5))
    let held = try #require(try await ledger.job(.number(JobNumber(rawValue: 3))))
    #expect(
      ledger.counts.hold(on: held)
        == Hold(
          .destination(Self.storage), reason: .unavailable, since: box.time.now, until: box.time.now + .seconds(5)))
    box.time.pass(.seconds(5))
    let probe = try await ledger.beginDue(upTo: 9, in: both)
    #expect(numbers(probe) == [3])
    #expect(try await ledger.beginDue(upTo: 9, in: both).isEmpty && ledger.counts.nextTime == nil)
    let failed = try await ledger.finish(try #require(probe.first), Self.unavailable, thenTakeIn: both)
    #expect(failed.job?.state == .aborted && failed.next == nil)
    box.time.pass(.seconds(5))
    let second = try #require(try await ledger.beginDue(upTo: 9, in: both).first)
    let done = try await ledger.finish(second, .uploaded(.sample), thenTakeIn: both)
    #expect(done.next?.step == .register, "the backend's gate is another one")
    #expect(numbers(try await ledger.beginDue(upTo: 9, in: both)) == [5, 6])
    #expect(ledger.counts.gates.isEmpty)
    let told = box.commits.withLock { $0.flatMap(\.occurrences) }
    #expect(told.map(\.kind) == [.gateClosed, .gateOpened] && told.map(\.reason) == ["unavailable", "unavailable"])
    #expect(told.first?.subject == .destination(Self.storage) && told.first?.until != nil)
    let logged = try await ledger.events(after: 0, limit: 1000).events
    #expect(logged.filter { if case .occurrence = $0 { true } else { false } } == told.map { .occurrence($0) })
  }

  /// A look before the probe costs the job nothing, and the job is as it was, also after a start.
  @Test func failedLookCostsNoJob() async throws {
    let box = try LedgerBox()
    try await {
      let (ledger, active) = try await filled(box, jobs: 3, begun: 1)
      _ = try await ledger.finish(
        active[0], .failed(Failure(.unavailable, "HTTP 503", status: 503), .abort), thenTakeIn: both)
      for pause in [30, 60, 120] {
        box.time.pass(.seconds(pause))
        let probe = try await ledger.beginDue(upTo: 9, in: both)
        #expect(numbers(probe) == [2], "it is not its fault")
        let symptom = Gate.Symptom(ofLook: Failure(.unavailable, "HTTP 503", status: 503), .abort)
        let ended = try await ledger.finish(probe[0], .unanswered(symptom), thenTakeIn: both)
        #expect(ended.job?.state == .queued && ended.job?.attempt == 0 && ended.next == nil)
        #expect(ended.job?.mayBeStored == false && ended.job?.failure == nil)
      }
      #expect(ledger.counts.jobs.byState == [.aborted: 1, .queued: 2] && reason(ledger) == .unavailable)
      #expect(try await ledger.attempts(of: JobNumber(rawValue: 2)).isEmpty)
      try ledger.close()
    }()
    let ledger = try box.open()
    box.time.pass(.seconds(240))
    let probe = try await ledger.beginDue(upTo: 9, in: both)
    #expect(numbers(probe) == [2] && probe.first?.attempt == 1)
    _ = try await ledger.finish(try #require(probe.first), .uploaded(.sample), thenTakeIn: nil)
    #expect(reason(ledger) == nil)
  }

  @Test func changedKeyProbesThenReleasesAll() async throws {
    let box = try LedgerBox()
    let (ledger, active) = try await filled(box, jobs: 5, begun: 3)
    for job in active { _ = try await ledger.finish(job, Self.refused, thenTakeIn: both) }
    #expect(ledger.counts.jobs.byState == [.awaitingCredentials: 3, .queued: 2])
    #expect(try await ledger.beginDue(upTo: 9, in: both).isEmpty)
    box.time.pass(.seconds(1))
    ledger.keyChanged(.backend("main"))
    #expect(try await ledger.beginDue(upTo: 9, in: both).isEmpty, "that is another one's key")
    ledger.keyChanged(Self.storage)
    let probe = try await ledger.beginDue(upTo: 9, in: both)
    #expect(numbers(probe) == [1], "the one that waits longest")
    let done = try await ledger.finish(try #require(probe.first), .uploaded(.sample), thenTakeIn: nil)
    #expect(done.job?.step == .register && reason(ledger) == nil)
    #expect(ledger.counts.jobs[.queued] == 5 && ledger.counts.waiting[Self.storage] == nil)
  }

  @Test func keyProbesRotateAcrossJobs() async throws {
    let box = try LedgerBox()
    let (ledger, active) = try await filled(box, jobs: 3, begun: 1)
    _ = try await ledger.finish(active[0], Self.refused, thenTakeIn: both)
    box.time.pass(.seconds(30))
    let first = try await ledger.beginDue(upTo: 9, in: both)
    #expect(numbers(first) == [1])
    _ = try await ledger.finish(first[0], Self.refused, thenTakeIn: both)
    box.time.pass(.seconds(60))
    let second = try await ledger.beginDue(upTo: 9, in: both)
    #expect(numbers(second) == [2])
    _ = try await ledger.finish(second[0], .uploaded(.sample), thenTakeIn: nil)
    let rest = try await ledger.beginDue(upTo: 9, in: .wide([Self.storage]))
    #expect(numbers(rest) == [1, 3])
    let again = try await ledger.finish(rest[0], Self.refused, thenTakeIn: nil)
    #expect(again.job?.state == .awaitingConfirmation, "another job has succeeded since: the key is not to blame")
    #expect(reason(ledger) == nil)
  }

  /// What was in flight when the key was taken away, and had its answer after that, says nothing of it.
  @Test func earlierSuccessLeavesKeyRefused() async throws {
    let box = try LedgerBox()
    let (ledger, active) = try await filled(box, jobs: 4, begun: 2)
    box.time.pass(.seconds(1))
    _ = try await ledger.finish(active[0], Self.refused, thenTakeIn: both)
    box.time.pass(.seconds(1))
    _ = try await ledger.finish(active[1], .uploaded(.sample), thenTakeIn: nil)
    _ = try await ledger.carryOut(.confirm(), on: .number(JobNumber(rawValue: 1)), by: .alice)
    let probe = try await ledger.beginDue(upTo: 9, in: .wide([Self.storage]))
    #expect(numbers(probe) == [1])
    let again = try await ledger.finish(probe[0], Self.refused, thenTakeIn: nil)
    #expect(again.job?.state == .awaitingCredentials && reason(ledger) == .credentials)
  }

  /// A change that is dated in the future makes no failure outdated that comes after it.
  @Test func clockSetBackAddsNoProbes() async throws {
    let box = try LedgerBox()
    box.time.setWall(by: .seconds(3600))
    let (ledger, active) = try await filled(box, jobs: 3, begun: 2)
    _ = try await ledger.finish(active[0], Self.unreachable, thenTakeIn: nil)
    ledger.networkChanged(both.destinations)
    _ = try await ledger.finish(active[1], Self.unreachable, thenTakeIn: nil)
    box.time.setWall(by: .zero)
    let probe = try await ledger.beginDue(upTo: 9, in: both)
    #expect(probe.count == 1, "the other attempt was from before the change")
    _ = try await ledger.finish(try #require(probe.first), Self.unreachable, thenTakeIn: both)
    #expect(try await ledger.beginDue(upTo: 9, in: both).isEmpty)
    #expect(ledger.counts.nextTime == box.time.now + .seconds(1))
  }

  @Test func destinationAsksOnlyOnce() async throws {
    let box = try LedgerBox()
    let (ledger, active) = try await filled(box, jobs: 6, begun: 3)
    var ended: [JobState?] = []
    for job in active { ended.append(try await ledger.finish(job, Self.noBucket, thenTakeIn: both).job?.state) }
    #expect(ended == [.awaitingConfirmation, .queued, .queued])
    let second = try await ledger.attempts(of: JobNumber(rawValue: 2))
    #expect(second.map(\.outcome) == [.failed] && second.first?.failure?.status == 404)
    #expect(try await ledger.job(.number(JobNumber(rawValue: 2)))?.schedule.spent == 0)
    #expect(try await ledger.beginDue(upTo: 9, in: both).isEmpty)
    #expect(ledger.counts.nextTime == box.time.now + .seconds(4), "two more have met it")

    _ = try await ledger.carryOut(.confirm(), on: .number(JobNumber(rawValue: 1)), by: .alice)
    let probe = try await ledger.beginDue(upTo: 9, in: both)
    #expect(numbers(probe) == [1], "the one that asked is the probe")
    let asked = try await ledger.finish(probe[0], Self.noBucket, thenTakeIn: both)
    #expect(asked.job?.state == .awaitingConfirmation && asked.next == nil)

    _ = try await ledger.carryOut(.cancel(), on: .number(JobNumber(rawValue: 1)), by: .alice)
    let next = try await ledger.beginDue(upTo: 9, in: both)
    #expect(numbers(next) == [4], "a no ends that job alone, and lets one probe that has not met it")
    _ = try await ledger.finish(next[0], .uploaded(.sample), thenTakeIn: nil)
    #expect(reason(ledger) == nil && ledger.counts.canStart(at: Self.storage))
  }

  /// What is mended is found without a person, by a job that has not met it; also after a start, by which the question is as open as it
  /// was. The job that asks stays asked.
  @Test(arguments: [false, true]) func mendedDestinationIsFoundByItself(_ restarts: Bool) async throws {
    let box = try LedgerBox()
    try await {
      let (ledger, active) = try await filled(box, jobs: 5, begun: 2)
      for job in active { _ = try await ledger.finish(job, Self.noBucket, thenTakeIn: both) }
      for (wait, number) in [(2, 3), (4, 5), (8, 3)] as [(Int, Int64)] {
        #expect(ledger.counts.nextTime == box.time.now + .seconds(wait))
        box.time.pass(.seconds(wait))
        let probe = try await ledger.beginDue(upTo: 9, in: both)
        #expect(numbers(probe) == [number], "by turns the first and the last that have not met it")
        let look = Gate.Symptom(ofLook: Failure(.destination, "HTTP 404", status: 404), .ask)
        let ended = try await ledger.finish(try #require(probe.first), .unanswered(look), thenTakeIn: both)
        #expect(ended.job?.state == .queued && ended.job?.attempt == 0)
      }
      if restarts { try ledger.close() } else { try await goOn(ledger, box) }
    }()
    if restarts { try await goOn(try box.open(), box) }
  }

  private func goOn(_ ledger: JobLedger, _ box: LedgerBox) async throws {
    #expect(reason(ledger) == .question)
    #expect(try await ledger.beginDue(upTo: 9, in: both).isEmpty)
    box.time.pass(.seconds(16))
    let probe = try #require(try await ledger.beginDue(upTo: 9, in: both).first)
    _ = try await ledger.finish(probe, .uploaded(.sample), thenTakeIn: nil)
    #expect(reason(ledger) == nil && ledger.counts.jobs[.awaitingConfirmation] == 1)
    #expect(numbers(try await ledger.beginDue(upTo: 9, in: .wide([Self.storage]))) == [2, 3, 4])
  }

  /// A few odd files cost nobody more than moments: each asks for itself, and all others go on.
  @Test(arguments: [1, 2, 3, 7], [1, 4]) func oddFilesHoldNobody(_ odd: Int, _ slots: Int) async throws {
    let box = try LedgerBox()
    let ledger = try box.open()
    let count = 40
    let lanes = Lanes(concurrency: slots, destinations: [Self.storage])
    _ = try await ledger.admit((1...count).map { .sample("\($0)") })
    let strange = Set((0..<odd).map { Int64(3 + $0) })
    var waited = Duration.zero
    var active = try await ledger.beginDue(upTo: slots, in: lanes)
    while !active.isEmpty || ledger.counts.queued[Self.storage] ?? 0 > 0 {
      if active.isEmpty {
        let next = try #require(ledger.counts.nextTime)
        waited += next - box.time.now
        box.time.pass(next - box.time.now)
      } else {
        let job = active.removeFirst()
        box.time.pass(.milliseconds(10))
        let answer = strange.contains(job.number.rawValue) ? Self.noBucket : .uploaded(.sample)
        _ = try await ledger.finish(job, answer, thenTakeIn: nil)
      }
      active += try await ledger.beginDue(upTo: slots, in: lanes)
    }
    for number in Int64(1)...Int64(count) {
      let asks = try await state(ledger, number) == .awaitingConfirmation
      #expect(asks == strange.contains(number), "\(number)")
    }
    #expect(reason(ledger) == nil)
    #expect(waited <= .seconds(4), "\(waited)")
  }

  /// The same refusal of job after job, with a code that nobody knows, asks a few times and then once.
  @Test func sameRefusalOfManyJobsHoldsTheRest() async throws {
    let box = try LedgerBox()
    let odd = AttemptResult.failed(Failure(.rejected, "HTTP 403 OddCode", status: 403, code: "OddCode"), .ask)
    let asked = try await {
      let ledger = try box.open()
      _ = try await ledger.admit((1...50).map { .sample("\($0)") })
      for _ in 1...20 {
        for job in try await ledger.beginDue(upTo: 4, in: .wide([Self.storage])) {
          _ = try await ledger.finish(job, odd, thenTakeIn: nil)
        }
      }
      #expect(reason(ledger) == .question)
      let asked = ledger.counts.jobs[.awaitingConfirmation]
      #expect((8...12).contains(asked) && ledger.counts.jobs[.queued] == 50 - asked)
      try ledger.close()
      return asked
    }()
    let ledger = try box.open()
    box.time.pass(.seconds(300))
    let probe = try #require(try await ledger.beginDue(upTo: 9, in: both).first)
    let refused = try await ledger.finish(probe, odd, thenTakeIn: nil)
    #expect(refused.job?.state == .queued && ledger.counts.jobs[.awaitingConfirmation] == asked)
    #expect(reason(ledger) == .question)
  }

  @Test func removedDestinationLosesItsGate() async throws {
    let box = try LedgerBox()
    let (ledger, active) = try await filled(box, jobs: 1, begun: 1)
    _ = try await ledger.finish(active[0], Self.unavailable, thenTakeIn: both)
    _ = try await ledger.askAboutUnconfigured { $0 != Self.storage }
    #expect(ledger.counts.gates.isEmpty)
    #expect(try await ledger.pool.read { try $0.value("SELECT count(*) FROM gate") as Int? } == 0)
  }

  @Test func heldNextStepDoesNotStart() async throws {
    let box = try LedgerBox()
    let (ledger, active) = try await filled(box, jobs: 1, begun: 1)
    _ = try await ledger.pause(.all, by: .alice)
    let ended = try await ledger.finish(active[0], .uploaded(.sample), thenTakeIn: both)
    #expect(ended.job?.state == .queued && ended.next == nil)
    let held = try #require(ended.job)
    #expect(ledger.counts.hold(on: held)?.target == .all)
  }
}
