import Jobs
import MessageLiterals
import Testing

@testable import Ledger

/// Which of the queued jobs get the slots.
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

  // MARK: Destinations

  /// One at each storage before another one anywhere, so that no backlog of one keeps the others' waiting.
  @Test func cleanupsTakeTurns() async throws {
    let lanes = Lanes(concurrency: 16, destinations: lanes.destinations)
    let jobs = try await ledger.admit(files(4) + files(4, at: "slow"), begin: 8, in: .wide(lanes.destinations))
    for job in jobs {
      _ = try await ledger.finish(
        job, .failed(Failure(.transient, "cut", mayHaveActed: true), .ask), thenTakeIn: nil)
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

  // MARK: Large uploads

  @Test func priorityAppliesWithinLane() async throws {
    let large = files(4, size: Self.large) + files(4, size: Self.large, priority: 1)
    _ = try await ledger.admit(files(2) + large + files(2, priority: 1))
    #expect(numbers(try await ledger.beginDue(upTo: 8, in: lanes)) == [7, 8, 9, 11, 12, 1])
  }
}
