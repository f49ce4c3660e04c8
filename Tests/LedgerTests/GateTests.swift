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

  private func numbers(_ jobs: [Job]) -> [Int64] { jobs.map(\.number.rawValue) }

  private func reason(_ ledger: JobLedger) -> Gate.Reason? { ledger.counts.gates[Self.storage]?.closure?.reason }

  /// A ledger with so many jobs, some of them begun.
  private func filled(_ box: LedgerBox, jobs: Int, begun: Int) async throws -> (JobLedger, [Job]) {
    let ledger = try box.open()
    let active = try await ledger.admit((1...jobs).map { .sample("\($0)") }, begin: begun, in: both)
    return (ledger, active)
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

  @Test func removedDestinationLosesItsGate() async throws {
    let box = try LedgerBox()
    let (ledger, active) = try await filled(box, jobs: 1, begun: 1)
    _ = try await ledger.finish(active[0], Self.unavailable, thenTakeIn: both)
    _ = try await ledger.askAboutUnconfigured { $0 != Self.storage }
    #expect(ledger.counts.gates.isEmpty)
    #expect(try await ledger.pool.read { try $0.value("SELECT count(*) FROM gate") as Int? } == 0)
  }
}
