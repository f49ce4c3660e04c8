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

  @Test func removedDestinationLosesItsGate() async throws {
    let box = try LedgerBox()
    let (ledger, active) = try await filled(box, jobs: 1, begun: 1)
    _ = try await ledger.finish(active[0], Self.unavailable, thenTakeIn: both)
    _ = try await ledger.askAboutUnconfigured { $0 != Self.storage }
    #expect(ledger.counts.gates.isEmpty)
    #expect(try await ledger.pool.read { try $0.value("SELECT count(*) FROM gate") as Int? } == 0)
  }
}
