import Jobs
import MessageLiterals
import SQLite
import Testing

@testable import Ledger

/// Jobs whose destination is no longer configured.
@Suite struct UnconfiguredTests {

  private func states(_ ledger: JobLedger) async throws -> [JobState] {
    try await ledger.jobs(JobFilter(), limit: 5000).map(\.state)
  }

  /// More than a page of each kind: plain jobs, and those with a row of their own.
  @Test func everyUnconfiguredJobAsksOnce() async throws {
    let box = try LedgerBox()
    let ledger = try box.open()
    let begun = try await ledger.admit((1...700).map { .sample("\($0)") }, begin: 300, in: both)
    for job in begun {
      _ = try await ledger.finish(
        job, .failed(Failure(.transient, "HTTP 500", status: 500), .retry(after: .seconds(60))), thenTakeIn: nil)
    }
    _ = try await ledger.admit([.sample("other", storage: "other")])
    let asking = try await ledger.askAboutUnconfigured { $0 != .storage("main") }
    #expect(asking.count == 700 && Set(asking).count == 700)
    #expect(try await states(ledger) == Array(repeating: .awaitingConfirmation, count: 700) + [.queued])
    #expect(try await ledger.askAboutUnconfigured { $0 != .storage("main") }.isEmpty)
  }

  @Test func onlyStraysAsk() async throws {
    let box = try LedgerBox()
    let ledger = try box.open()
    _ = try await ledger.admit((1...600).map { .sample("\($0)") })
    _ = try await ledger.admit((1...3).map { .sample("other \($0)", storage: "other") })
    try await ledger.askAboutStrays { $0 != .storage("main") }
    let asked = Array(repeating: JobState.awaitingConfirmation, count: 600)
    #expect(try await states(ledger) == asked + Array(repeating: .queued, count: 3))
    #expect(ledger.counts.queued[.storage("main")] == nil)
  }

  /// An answer is heard and the same question asked again, without a look at any other job.
  @Test func answerRepeatsOnlyOwnQuestion() async throws {
    let box = try LedgerBox()
    let ledger = try box.open()
    _ = try await ledger.admit((1...3).map { .sample("\($0)") })
    try await ledger.askAboutStrays { _ in false }
    let first = JobNumber(rawValue: 1)
    _ = try await ledger.carryOut(.confirm(), on: .number(first), by: .alice)
    let before = ledger.pool.write { $0.totalChanges }
    #expect(try await ledger.askAboutDestination(of: first)?.state == .awaitingConfirmation)
    #expect(try await ledger.askAboutDestination(of: first)?.state == .awaitingConfirmation, "it asks already")
    #expect(try await ledger.askAboutDestination(of: JobNumber(rawValue: 9)) == nil)
    let after = ledger.pool.write { $0.totalChanges }
    #expect(after - before < 10)
    #expect(try await states(ledger) == [.awaitingConfirmation, .awaitingConfirmation, .awaitingConfirmation])
  }
}
