import Jobs
import MessageLiterals
import Testing

@testable import Ledger

@Suite struct LaneTests {
  private static let large: Int64 = 1 << 30

  private let box: LedgerBox
  private let ledger: JobLedger
  /// Each of them is guaranteed one slot.
  private let lanes = Lanes(concurrency: 8, destinations: [.backend("main"), .storage("main"), .storage("slow")])

  init() throws {
    box = try LedgerBox()
    ledger = try box.open()
  }

  private func files(_ count: Int, at storage: String = "main", size: Int64 = 3, priority: Int = 0) -> [Admission] {
    (1...count).map { .sample("\(storage) \($0)", priority: priority, size: size, storage: storage) }
  }

  private func numbers(_ jobs: [Job]) -> [Int64] { jobs.map(\.number.rawValue) }

  /// One at each storage before another one anywhere, so that no backlog of one keeps the others' waiting.
  @Test func cleanupsTakeTurns() async throws {
    let lanes = Lanes(concurrency: 16, destinations: lanes.destinations)
    let jobs = try await ledger.admit(files(4) + files(4, at: "slow"), begin: 8, in: .wide(lanes.destinations))
    for job in jobs {
      _ = try await ledger.finish(job, .failed(Failure(.transient, "cut", mayHaveActed: true), .ask), thenTakeIn: nil)
      _ = try await ledger.carryOut(.cancel(remove: true), on: .number(job.number), by: .alice)
    }
    func begin(_ limit: Int) async throws -> [String] {
      try await ledger.beginDueCleanups(upTo: limit, in: lanes).map(\.storage)
    }
    #expect(try await begin(1) == ["main", "slow"])
    #expect(try await begin(9) == ["main", "slow", "main", "slow", "main", "slow"])
  }

  /// One at a storage goes before the jobs there; the slot that a job frees is the next one's.
  @Test func oneCleanupGoesBeforeJobs() async throws {
    let lanes = Lanes(concurrency: 2, destinations: [.backend("main"), .storage("main")])
    for job in try await ledger.admit(files(2), begin: 2, in: lanes) {
      _ = try await ledger.finish(job, .failed(Failure(.transient, "cut", mayHaveActed: true), .ask), thenTakeIn: nil)
      _ = try await ledger.carryOut(.cancel(remove: true), on: .number(job.number), by: .alice)
    }
    _ = try await ledger.admit(files(4))
    let (jobs, cleanups) = try await ledger.beginDueWork(in: lanes)
    #expect(numbers(jobs) == [3] && cleanups.map(\.job.rawValue) == [1])
    #expect(ledger.counts.nextCleanup(in: lanes, isFirst: true) == nil)
    try await ledger.finish(try #require(cleanups.first), .absent, landing: .zero)
    let ended = try await ledger.finish(try #require(jobs.first), .uploaded(.sample), thenTakeIn: lanes)
    #expect(ended.next == nil)
    let next = try await ledger.beginDueWork(in: lanes)
    #expect(next.jobs.count == 1 && next.cleanups.map(\.job.rawValue) == [2])
  }

  @Test func priorityAppliesWithinLane() async throws {
    let large = files(4, size: Self.large) + files(4, size: Self.large, priority: 1)
    _ = try await ledger.admit(files(2) + large + files(2, priority: 1))
    #expect(numbers(try await ledger.beginDue(upTo: 8, in: lanes)) == [7, 8, 9, 11, 12, 1])
  }

  private static let main = Destination.storage("main")
  private static let refused = AttemptResult.failed(Failure(.credentials, "HTTP 401", status: 401), .awaitCredentials)

  private var reason: Gate.Reason? { ledger.counts.gates[Self.main]?.closure?.reason }

  private func fill(jobs: Int, begun: Int) async throws -> [Job] {
    try await ledger.admit((1...jobs).map { .sample("\($0)") }, begin: begun, in: both)
  }

  @Test func keyProbesRotateAcrossJobs() async throws {
    let active = try await fill(jobs: 3, begun: 1)
    _ = try await ledger.finish(active[0], Self.refused, thenTakeIn: both)
    box.time.pass(.seconds(30))
    let first = try await ledger.beginDue(upTo: 9, in: both)
    #expect(numbers(first) == [1])
    _ = try await ledger.finish(first[0], Self.refused, thenTakeIn: both)
    box.time.pass(.seconds(60))
    let second = try await ledger.beginDue(upTo: 9, in: both)
    #expect(numbers(second) == [2])
    _ = try await ledger.finish(second[0], .uploaded(.sample), thenTakeIn: nil)
    let rest = try await ledger.beginDue(upTo: 9, in: .wide([Self.main]))
    #expect(numbers(rest) == [1, 3])
    let again = try await ledger.finish(rest[0], Self.refused, thenTakeIn: nil)
    #expect(again.job?.state == .awaitingConfirmation, "another job has succeeded since: the key is not to blame")
    #expect(reason == nil)
  }

  /// An attempt that was in flight when the key was taken away, and had its answer after that, says nothing of the key.
  @Test func earlierSuccessLeavesKeyRefused() async throws {
    let active = try await fill(jobs: 4, begun: 2)
    box.time.pass(.seconds(1))
    _ = try await ledger.finish(active[0], Self.refused, thenTakeIn: both)
    box.time.pass(.seconds(1))
    _ = try await ledger.finish(active[1], .uploaded(.sample), thenTakeIn: nil)
    _ = try await ledger.carryOut(.confirm(), on: .number(JobNumber(rawValue: 1)), by: .alice)
    let probe = try await ledger.beginDue(upTo: 9, in: .wide([Self.main]))
    #expect(numbers(probe) == [1])
    let again = try await ledger.finish(probe[0], Self.refused, thenTakeIn: nil)
    #expect(again.job?.state == .awaitingCredentials && reason == .credentials)
  }

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
