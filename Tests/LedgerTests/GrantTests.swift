import Jobs
import MessageLiterals
import Testing

@testable import Ledger

/// Uploads that a backend grants stand before two gates: the backend's and the storage's.
@Suite struct GrantTests {
  private static let (storage, backend) = (Destination.storage("main"), Destination.backend("main"))
  private static let unavailable = Failure(.unavailable, "503", status: 503)

  private let box: LedgerBox
  private let ledger: JobLedger

  init() throws {
    box = try LedgerBox()
    ledger = try box.open()
    ledger.setGrantors([Self.storage: Self.backend])
  }

  private static func ofGrant(_ failure: Failure, _ verdict: Verdict) -> AttemptResult {
    var failure = failure
    failure.grantor = backend
    return .failed(failure, verdict)
  }

  private func admit(_ count: Int, begin: Int = 0) async throws -> [Job] {
    try await ledger.admit((1...count).map { .sample("\($0)") }, begin: begin, in: both)
  }

  private func begin() async throws -> [Job] { try await ledger.beginDue(upTo: 9, in: both) }

  private func finish(_ job: Job, _ result: AttemptResult) async throws -> Job {
    try #require(try await ledger.finish(job, result, thenTakeIn: nil).job)
  }

  private func reason(_ destination: Destination) -> Gate.Reason? { ledger.counts.gates[destination]?.closure?.reason }

  /// Has the backend refuse the first of some jobs, and time pass until its gate lets one probe.
  private func probe(_ failure: Failure = unavailable, _ verdict: Verdict = .abort, jobs: Int = 3) async throws -> Job {
    let first = try #require(try await admit(jobs, begin: 1).first)
    _ = try await finish(first, Self.ofGrant(failure, verdict))
    box.time.pass(.seconds(31))
    let begun = try await begin()
    #expect(begun.count == 1, "one job probes")
    return try #require(begun.first)
  }

  @Test func backendGateHoldsUploads() async throws {
    let jobs = try await admit(3, begin: 1)
    let aborted = try await finish(jobs[0], Self.ofGrant(Self.unavailable, .abort))
    #expect(aborted.state == .aborted && aborted.blamed == Self.backend && aborted.destination == Self.storage)
    #expect(reason(Self.backend) == .unavailable && ledger.counts.gates[Self.storage] == nil)
    #expect(try await begin().isEmpty)
    let held = try #require(try await ledger.job(.number(JobNumber(rawValue: 2))))
    #expect(ledger.counts.holds(on: held).map(\.target.name) == ["backend.main"])
    let place = PipelineState(lanes: both, isConfigured: { _ in true }, isStopping: false)
    let standstill = try await ledger.standstill(of: held.number, in: place)?.standstill
    #expect(standstill?.hold?.target.name == "backend.main" && standstill?.name == "gate")
  }

  @Test func uploadProbesBothGates() async throws {
    let probe = try await probe()
    #expect(probe.number.rawValue == 2 && probe.destination == Self.storage)
    #expect(ledger.counts.gates[Self.backend]?.isProbed(by: probe.number) == true)
    _ = try await finish(probe, .failed(Self.unavailable, .abort))
    #expect(reason(Self.backend) == nil, "it has granted the upload")
    #expect(reason(Self.storage) == .unavailable)
    box.time.pass(.seconds(31))
    let next = try #require(try await begin().first)
    _ = try await finish(next, Self.ofGrant(Self.unavailable, .abort))
    #expect(reason(Self.backend) == .unavailable)
    #expect(ledger.counts.gates[Self.storage]?.isHalfOpen == true, "the storage was not asked")
    _ = try await admit(1)
    box.time.pass(.seconds(31))
    let last = try #require(try await begin().first)
    _ = try await finish(last, .uploaded(.sample))
    #expect(ledger.counts.closedGates.isEmpty)
  }

  /// A file that is gone says nothing about either.
  @Test(arguments: [
    AttemptResult.failed(Failure(.file, "gone"), .ask), .cut, .unanswered(Gate.Symptom(.local)),
  ]) func localEndLeavesProbe(_ result: AttemptResult) async throws {
    _ = try await finish(try await probe(), result)
    #expect(ledger.counts.gates[Self.backend]?.isHalfOpen == true)
  }

  @Test func lookThatFailsClosesBackendGate() async throws {
    let probe = try await probe()
    _ = try await finish(probe, .unanswered(Gate.Symptom(ofLook: Self.unavailable, .abort)))
    #expect(ledger.counts.gates[Self.backend]?.until != nil && ledger.counts.gates[Self.storage] == nil)
  }

  /// `from` may name another backend while its probe is in flight.
  @Test func replacedGrantorDoesNotWaitForProbe() async throws {
    let probe = try await probe()
    ledger.setGrantors([Self.storage: .backend("other")])
    _ = try await finish(probe, .uploaded(.sample))
    #expect(ledger.counts.gates[Self.backend]?.isHalfOpen == true)
    ledger.setGrantors([:])
    #expect(try await begin().count == 2)
  }

  @Test func cancelledProbeLeavesBothGates() async throws {
    let probe = try await probe()
    _ = try await ledger.carryOut(.cancel(remove: false), on: .number(probe.number), by: .alice)
    #expect(ledger.counts.gates[Self.backend]?.isHalfOpen == true)
    #expect(try await begin().map(\.number.rawValue) == [3])
  }

  /// The person's answer wants that job tried, whatever else is queued at the backend.
  @Test func answeredUploadProbesBackend() async throws {
    let jobs = try await admit(3, begin: 2)
    let asking = try await finish(jobs[1], Self.ofGrant(Failure(.destination, "no url"), .ask))
    #expect(asking.state == .awaitingConfirmation && reason(Self.backend) == .question)
    let registering = try await finish(jobs[0], .uploaded(.sample))
    #expect(registering.step == .register && registering.state == .queued)
    #expect(try await begin().isEmpty)
    _ = try await ledger.carryOut(.confirm(), on: .number(asking.number), by: .alice)
    #expect(try await begin().map(\.number) == [asking.number])
  }

  @Test func refusedTokenWaitsAtBackend() async throws {
    let jobs = try await admit(2, begin: 2)
    let refused = Self.ofGrant(Failure(.credentials, "401", status: 401), .awaitCredentials)
    for job in jobs { #expect(try await finish(job, refused).state == .awaitingCredentials) }
    #expect(reason(Self.backend) == .credentials && reason(Self.storage) == nil)
    #expect(try await begin().isEmpty)
    ledger.keyChanged(Self.backend)
    let probe = try #require(try await begin().first)
    _ = try await finish(probe, .uploaded(.sample))
    #expect(try await begin().contains { $0.number == jobs[1].number }, "it continues once the gate is open")
  }

  /// A token that was replaced while the request for the grant was in flight may be a good one.
  @Test func newTokenMakesRefusalOutdated() async throws {
    let jobs = try await admit(2, begin: 2)
    let refused = Self.ofGrant(Failure(.credentials, "401", status: 401), .awaitCredentials)
    _ = try await finish(jobs[0], refused)
    ledger.keyChanged(Self.backend)
    _ = try await finish(try #require(try await begin().first), .uploaded(.sample))
    #expect(reason(Self.backend) == nil)
    _ = try await finish(jobs[1], refused)
    #expect(ledger.counts.gates[Self.backend]?.isHalfOpen == true)
  }

  @Test func pauseOfBackendHoldsUploads() async throws {
    _ = try await admit(1)
    _ = try await ledger.pause(.destination(Self.backend), by: .alice)
    #expect(try await begin().isEmpty)
    _ = try await ledger.resume(.destination(Self.backend), by: .alice)
    #expect(try await begin().count == 1)
  }

  /// No gate is left of a backend that is gone, and the job asks the one that `from` names now.
  @Test func removedGrantorHoldsNothing() async throws {
    let job = try #require(try await admit(1, begin: 1).first)
    let refused = Self.ofGrant(Failure(.credentials, "401", status: 401), .awaitCredentials)
    #expect(try await finish(job, refused).state == .awaitingCredentials)
    ledger.setGrantors([Self.storage: .backend("other")])
    #expect(try await ledger.askAboutUnconfigured { $0 != Self.backend }.isEmpty)
    #expect(try await begin().map(\.number) == [job.number])
  }

  @Test func grantorOutlivesRestart() async throws {
    let job = try #require(try await admit(1, begin: 1).first)
    _ = try await finish(job, Self.ofGrant(Failure(.rejected, "422", status: 422), .ask))
    try ledger.close()
    let reopened = try box.crashed().open()
    #expect(try await reopened.job(.number(job.number))?.failure?.grantor == Self.backend)
    var filter = EventFilter()
    for (destination, count) in [("backend.main", 1), ("storage.main", 2), ("backend.other", 0)] {
      filter.destination = destination
      #expect(try await reopened.log(filter, order: .oldest, limit: 9).events.count == count)
    }
  }
}
