import Jobs
import MessageLiterals
import Testing

@testable import Ledger

/// A sidecar that comes after its document was admitted without it.
@Suite struct LateSidecarTests {
  private let pattern: SidecarPattern

  init() throws { pattern = try SidecarPattern("{name}.json") }

  /// A document that asks about its sidecar.
  private func asking(_ name: String, spool: String = "documents") -> Admission {
    let plain = Admission.sample(name, spool: spool)
    let failure = Failure(.file, "its sidecar did not come", code: Failure.sidecarCode)
    return Admission(id: plain.id, identity: plain.identity, mustAsk: failure, ticket: plain.ticket)
  }

  /// The same claim with its sidecar.
  private func joined(_ admission: Admission) -> Admission {
    let sidecar = Parcel.Sidecar(pattern: pattern, identity: admission.identity)
    var joined = Admission(id: admission.id, identity: admission.identity, ticket: admission.ticket)
    joined.joined = { $0.ticket.with(sidecar, key: "7/a", metadata: ["case": "7"], withheld: ["case"]) }
    return joined
  }

  @Test func joinsJobThatAsks() async throws {
    let box = try LedgerBox()
    let ledger = try box.open()
    let (late, other, first, second) = (asking("a"), asking("a", spool: "other"), asking("b"), asking("b"))
    _ = try await ledger.admit([late, other, first, second, .sample("c")])
    let names = Set(["a.json", "b.json", "c.json"].map { FileName($0) })
    // Two jobs ask for b.json: nobody knows whose it is.
    let found = try await ledger.asking(for: names, pattern, in: "documents")
    #expect(found.map(\.ticket.id) == [late.id])
    let number = try #require(found.first?.number)

    _ = try await ledger.admit([joined(late)])
    #expect(ledger.counts.jobs[.queued] == 2 && ledger.counts.jobs[.awaitingConfirmation] == 3)
    #expect(try await ledger.asking(for: names, pattern, in: "documents").isEmpty)
    #expect(box.events.last?.message == "The sidecar a.json of a has come: nobody needs to confirm")
    let history = try await ledger.history(of: number)
    #expect(history.map(\.kind) == [.admitted, .question, .confirmed])
    #expect(history.last?.message == box.events.last?.message)

    let after = try await box.crashed().open().job(.number(number))
    #expect(after?.state == .queued && after?.ticket.parcel.sidecar?.pattern == pattern)
    #expect(after?.ticket.key == "7/a" && after?.ticket.metadata == ["case": "7"] && after?.ticket.withheld == ["case"])
    #expect(after?.ticket.createdAt == found.first?.ticket.createdAt)
  }

  @Test func leavesAnsweredJobAlone() async throws {
    let ledger = try LedgerBox().open()
    let late = asking("a")
    _ = try await ledger.admit([late])
    let job = try await ledger.carryOut(.confirm(), on: .id(late.id), by: .alice).job
    _ = try await ledger.admit([joined(late)])
    let after = try await ledger.job(.number(job.number))
    #expect(after?.revision == job.revision && after?.ticket.parcel == .file)
  }
}
