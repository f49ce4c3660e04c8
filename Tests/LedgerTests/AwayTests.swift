import Jobs
import MessageLiterals
import Testing

@testable import Ledger

/// Jobs that wait for a medium which was taken out: when it is back, they are due at once.
@Suite struct AwayTests {
  private static let away = Failure(.file, "x is on a medium that is not there now", code: "in-place-away")

  private static let card = SpoolRoute(spool: "card", storage: "main", backend: "main")

  @Test func jobsThatWaitForMediumBecomeDue() async throws {
    let ledger = try LedgerBox().open()
    // More than one commit makes due.
    let count = 600
    func admit(_ count: Int, spool: String) async throws -> [Job] {
      let admissions = (1...count).map { Admission.sample("\($0)", spool: spool) }
      return try await ledger.admit(admissions, begin: count, in: both)
    }
    for job in try await admit(count, spool: "card") {
      _ = try await ledger.finish(job, .failed(Self.away, .wait(after: .seconds(900))), thenTakeIn: nil)
    }
    let other = try #require(try await admit(1, spool: "card").first)
    _ = try await ledger.finish(
      other, .failed(Failure(.transient, "busy"), .wait(after: .seconds(900))), thenTakeIn: nil)
    let elsewhere = try #require(try await admit(1, spool: "documents").first)
    _ = try await ledger.finish(elsewhere, .failed(Self.away, .wait(after: .seconds(900))), thenTakeIn: nil)
    let asking = try #require(try await admit(1, spool: "card").first)
    _ = try await ledger.finish(asking, .failed(Self.away, .ask), thenTakeIn: nil)
    #expect(ledger.counts.jobs[.deferred] == count + 2)

    #expect(ledger.counts.ahead == [:])
    try await ledger.makeDueWithMedium(of: "card")
    #expect(ledger.counts.jobs[.queued] == count && ledger.counts.ahead == [:])
    for number in [other.number, elsewhere.number] {
      #expect(try await ledger.job(.number(number))?.state == .deferred)
    }
    #expect(try await ledger.job(.number(asking.number))?.state == .awaitingConfirmation)
    // Their delays were not spent.
    let first = try #require(try await ledger.beginDue(upTo: 1, in: both).first)
    #expect(first.delaysSpent == 0 && first.failure?.code == "in-place-away")
    // It is its attempt that finds out.
    #expect(ledger.counts.ahead == [Self.card: 1])
  }
}
