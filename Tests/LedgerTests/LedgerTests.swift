import Jobs
import MessageLiterals
import Messages
import SQLite
import Synchronization
import Testing

@testable import Ledger

@Suite struct LedgerTests {
  /// A file that the ledger has forgotten may have been sent: a cancel has to look for its object, and so has the next attempt.
  @Test func ledgerThatMayHaveForgottenTrustsNoUpload() async throws {
    let box = try LedgerBox()
    func admit(finishing: Bool) async throws {
      let ledger = try box.open()
      if finishing { _ = try await ledger.finishRecovery(by: .recovery) }
      _ = try await ledger.admit([.sample("a")])
      try ledger.close()
    }
    func distrusted() async throws -> [Bool] {
      let ledger = try box.open()
      defer { try? ledger.close() }  // ignored: it was only read
      return try await ledger.jobs(JobFilter(), limit: 9).map { $0.mayBeStored && $0.mayBeForgotten }
    }
    try await admit(finishing: false)
    #expect(try await distrusted() == [true])
    try await admit(finishing: true)
    #expect(try await distrusted() == [true, false])
  }

  @Test func attemptIsWithdrawnUntilEndRecorded() async throws {
    let box = try LedgerBox()
    let ledger = try box.open()
    let jobs = try await ledger.admit([.sample("a"), .sample("b")], begin: 2, in: both)
    try #require(jobs.count == 2)
    let (cancelled, other) = (jobs[0], jobs[1])
    func withdrawn() -> [Bool] { jobs.map { ledger.counts.isWithdrawn($0) } }
    #expect(withdrawn() == [false, false])
    _ = try await ledger.carryOut(.cancel(), on: .number(cancelled.number), by: Caller(uid: 0, user: "root"))
    #expect(withdrawn() == [true, false])
    _ = try await ledger.finish(other, .uploaded(.sample), thenTakeIn: nil)
    #expect(withdrawn() == [true, false])
    _ = try await ledger.finish(cancelled, .cut, thenTakeIn: nil)
    #expect(withdrawn() == [false, false])
  }

  @Test func concurrentChangesShareCommits() async throws {
    let box = try LedgerBox()
    let ledger = try box.open()
    try await withThrowingTaskGroup(of: Void.self) { group in
      for number in 1...1000 {
        group.addTask { _ = try await ledger.admit([.sample("\(number)")]) }
      }
      try await group.waitForAll()
    }
    #expect(ledger.counts.jobs.byState == [.queued: 1000])
    #expect(box.commits.withLock(\.count) < 1000)
    #expect(Set(box.events.map(\.job.number)).count == 1000)
  }

  @Test func filtersSelectMatchingJobs() async throws {
    let box = try LedgerBox()
    let ledger = try box.open()
    let jobs = try await ledger.admit(
      [.sample("invoice 881.pdf"), .sample("scan.tif", spool: "scans"), .sample("other.pdf")], begin: 1, in: both)
    let failure = Failure(.rejected, "HTTP 422: taken", status: 422)
    _ = try await ledger.finish(try #require(jobs.first), .failed(failure, .ask), thenTakeIn: nil)
    func numbers(_ change: (inout JobFilter) -> Void, after: Int64? = nil, limit: Int = 10) async throws -> [Int64] {
      try await ledger.jobs(JobFilter(change), after: after.map(JobNumber.init(rawValue:)), limit: limit)
        .map(\.number.rawValue)
    }
    #expect(try await numbers { _ in } == [1, 2, 3])
    #expect(try await numbers({ _ in }, after: 1, limit: 1) == [2])
    let newest = try await ledger.jobs(JobFilter(), order: .newest, limit: 2).map(\.number)
    #expect(newest == [3, 2].map(JobNumber.init(rawValue:)))
    #expect(
      try await ledger.jobs(JobFilter(), after: newest.last, order: .newest, limit: 2).map(\.number.rawValue) == [1])
    #expect(try await numbers { $0.states = [.awaitingConfirmation] } == [1])
    #expect(try await numbers { $0.states = [.queued, .awaitingConfirmation] } == [1, 2, 3])
    #expect(try await numbers { $0.name = "*881*" } == [1])
    #expect(try await numbers { $0.spool = "scans" } == [2])
    #expect(try await numbers { $0.error = "rejected" } == [1])
    #expect(try await numbers { $0.error = "taken" } == [1])
    #expect(try await numbers { $0.error = "network" } == [])
    #expect(try await numbers { $0.step = .register } == [])
    #expect(try await numbers { $0.since = Timestamp(seconds: 1_795_222_924) } == [])
  }

  private func asking(_ name: String, spool: String = "documents") -> Admission {
    let plain = Admission.sample(name, spool: spool)
    let failure = Failure(.file, "its sidecar did not come", code: Failure.sidecarCode)
    return Admission(id: plain.id, identity: plain.identity, mustAsk: failure, ticket: plain.ticket)
  }

  private func joined(_ admission: Admission, _ pattern: SidecarPattern) -> Admission {
    let sidecar = Parcel.Sidecar(pattern: pattern, identity: admission.identity)
    var joined = Admission(id: admission.id, identity: admission.identity, ticket: admission.ticket)
    joined.joined = { $0.ticket.with(sidecar, key: "7/a", metadata: ["case": "7"], withheld: ["case"]) }
    return joined
  }

  @Test func joinsJobThatAsks() async throws {
    let pattern = try SidecarPattern("{name}.json")
    let box = try LedgerBox()
    let ledger = try box.open()
    let (late, other, first, second) = (asking("a"), asking("a", spool: "other"), asking("b"), asking("b"))
    _ = try await ledger.admit([late, other, first, second, .sample("c")])
    let names = Set(["a.json", "b.json", "c.json"].map { FileName($0) })
    // Two jobs ask for b.json: nobody knows whose it is.
    let found = try await ledger.asking(for: names, pattern, in: "documents")
    #expect(found.map(\.ticket.id) == [late.id])
    let number = try #require(found.first?.number)

    _ = try await ledger.admit([joined(late, pattern)])
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
}
