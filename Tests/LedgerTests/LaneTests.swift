import Jobs
import MessageLiterals
import Testing

@testable import Ledger

/// Which of the queued jobs get the slots.
@Suite struct LaneTests {
  private static let large: Int64 = 1 << 30
  private static let retried = AttemptResult.failed(Failure(.transient, "HTTP 500"), .retry(after: .seconds(3600)))

  private let box: LedgerBox
  private let ledger: JobLedger
  /// Each of them is guaranteed one slot.
  private let lanes = Lanes(concurrency: 8, destinations: [.backend("main"), .storage("main"), .storage("slow")])

  init() throws {
    box = try LedgerBox()
    ledger = try box.open()
  }

  private func files(
    _ count: Int, at storage: String = "main", size: Int64 = 3, priority: Int = 0, spool: String = "documents",
    backend: String = "main"
  ) -> [Admission] {
    (1...count).map {
      .sample("\(storage) \($0)", spool: spool, priority: priority, size: size, storage: storage, backend: backend)
    }
  }

  private func numbers(_ jobs: [Job]) -> [Int64] { jobs.map(\.number.rawValue) }

  // MARK: Destinations

  @Test func dueJobsLeaveOthersTheirShare() async throws {
    _ = try await ledger.admit(files(20, at: "slow"))
    #expect(try await ledger.beginDue(upTo: 8, in: lanes).count == 6)
    #expect(ledger.counts.canStart(at: .storage("slow")) && !ledger.counts.canStart(in: lanes), "nothing wakes for it")
    #expect(try await ledger.beginDue(upTo: 2, in: lanes).isEmpty)
    _ = try await ledger.admit(files(5))
    #expect(ledger.counts.canStart(in: lanes))
    let taken = try await ledger.beginDue(upTo: 2, in: lanes)
    #expect(taken.map(\.destination) == [.storage("main")], "the last one is the backend's")
    #expect(!ledger.counts.canStart(in: lanes))
  }

  @Test func admissionLeavesOthersTheirShare() async throws {
    #expect(try await ledger.admit(files(20, at: "slow"), begin: 8, in: lanes).count == 6)
    #expect(try await ledger.admit(files(5), begin: 2, in: lanes).map(\.destination) == [.storage("main")])
  }

  @Test func freeSlotGoesToLeastBusy() async throws {
    let slow = try await ledger.admit(files(20, at: "slow"), begin: 8, in: lanes)
    _ = try await ledger.admit(files(5), begin: 2, in: lanes)
    var begun: [Destination?] = []
    for job in slow {
      begun.append(try await ledger.finish(job, Self.retried, thenTakeIn: lanes).next?.destination)
    }
    #expect(
      begun == Array(repeating: Destination.storage("main"), count: 3)
        + Array(repeating: Destination.storage("slow"), count: 3))
  }

  @Test func nextStepRespectsBackendShare() async throws {
    let lanes = Lanes(concurrency: 8, destinations: [.backend("fast"), .backend("slow"), .storage("main")])
    let uploads = try await ledger.admit(files(6, backend: "slow"), begin: 8, in: lanes)
    #expect(uploads.count == 6)
    _ = try await ledger.admit(files(2, backend: "fast"))
    var registers: [Job] = []
    for job in uploads {
      let next = try #require(try await ledger.finish(job, .uploaded(.sample), thenTakeIn: lanes).next)
      #expect(next.number == job.number && next.step == .register)
      registers.append(next)
    }
    let rest = try await ledger.beginDue(upTo: 2, in: lanes)
    #expect(rest.map(\.destination) == [.storage("main")])
    // one more for the slow backend: it is queued there, and the slot does something else
    _ = try await ledger.admit(files(1, priority: 1, backend: "slow"))
    let failed = try await ledger.finish(rest[0], Self.retried, thenTakeIn: lanes).next
    let seventh = try #require(failed)
    #expect(seventh.ticket.backend == "slow")
    let ended = try await ledger.finish(seventh, .uploaded(.sample), thenTakeIn: lanes)
    #expect(ended.job?.state == .queued && ended.job?.step == .register)
    #expect(ended.next?.destination == .storage("main") && !ledger.counts.canStart(in: lanes))
    let freed = try await ledger.finish(registers[0], .registered(.sample), thenTakeIn: nil)
    #expect(freed.job?.state == .registered && ledger.counts.canStart(in: lanes), "told to whoever hands out slots")
    #expect(numbers(try await ledger.beginDue(upTo: 1, in: lanes)) == [seventh.number.rawValue])
  }

  @Test func cleanupsUseStorageShare() async throws {
    let jobs = try await ledger.admit(files(8, at: "slow"), begin: 8, in: .wide(lanes.destinations))
    for job in jobs {
      _ = try await ledger.finish(
        job, .failed(Failure(.transient, "cut", mayHaveActed: true), .ask), thenTakeIn: nil)
      _ = try await ledger.carryOut(.cancel(remove: true), on: .number(job.number), by: .alice)
    }
    let owed = try await ledger.beginDueCleanups(upTo: 8, in: lanes)
    #expect(owed.count == 6 && ledger.counts.nextCleanup(in: lanes) == nil)
    #expect(ledger.counts.nextCleanup { _ in true } != nil, "two are due")
    #expect(try await ledger.admit(files(9), begin: 8, in: lanes).count == 1)
    try await ledger.finish(owed[0], .removed, landing: .zero)
    #expect(ledger.counts.nextCleanup(in: lanes) != nil)
  }

  /// One at each storage before another one anywhere, so that no backlog of one keeps the others' waiting.
  @Test func cleanupsTakeTurns() async throws {
    let lanes = Lanes(concurrency: 16, destinations: lanes.destinations)
    let jobs = try await ledger.admit(files(4) + files(4, at: "slow"), begin: 8, in: .wide(lanes.destinations))
    for job in jobs {
      _ = try await ledger.finish(
        job, .failed(Failure(.transient, "cut", mayHaveActed: true), .ask), thenTakeIn: nil)
      _ = try await ledger.carryOut(.cancel(remove: true), on: .number(job.number), by: .alice)
    }
    func begin(_ limit: Int, _ isWanted: @escaping @Sendable (Destination) -> Bool = { _ in true }) async throws
      -> [String]
    {
      try await ledger.beginDueCleanups(upTo: limit, in: lanes, where: isWanted).map(\.storage)
    }
    #expect(try await begin(1) == ["main", "slow"])
    #expect(try await begin(1) { $0 == .storage("slow") } == ["slow"])
    #expect(try await begin(9) == ["main", "slow", "main", "slow", "main"])
  }

  @Test func reducedSlotsDelayNewJobs() async throws {
    let jobs = try await ledger.admit(files(20), begin: 6, in: lanes)
    let fewer = Lanes(concurrency: 4, destinations: lanes.destinations)
    var next: [Job?] = []
    for job in jobs { next.append(try await ledger.finish(job, Self.retried, thenTakeIn: fewer).next) }
    #expect(next.map { $0 == nil } == [true, true, true, true, false, false], "two are kept for the others")
  }

  // MARK: Large uploads

  @Test func smallUploadsPassLimitedLargeOnes() async throws {
    _ = try await ledger.admit(files(10, size: Self.large) + files(3))
    let taken = try await ledger.beginDue(upTo: 8, in: lanes)
    #expect(numbers(taken) == [1, 2, 3, 11, 12, 13], "one of the large lane is the other storage's")
    #expect(!ledger.counts.canStart(in: lanes) && ledger.counts.canStart(at: .storage("main")))
    let small = try await ledger.finish(taken[3], Self.retried, thenTakeIn: lanes)
    #expect(small.next == nil)
    let large = try await ledger.finish(taken[0], .uploaded(.sample), thenTakeIn: lanes)
    #expect(large.next?.step == .register && ledger.counts.canStart(in: lanes))
    #expect(numbers(try await ledger.beginDue(upTo: 1, in: lanes)) == [4], "its upload is over")
    #expect(try await ledger.beginDue(upTo: 1, in: lanes).isEmpty)
  }

  @Test func admissionStartsSmallPastLarge() async throws {
    let begun = try await ledger.admit(files(10, size: Self.large) + files(2), begin: 8, in: lanes)
    #expect(numbers(begun) == [1, 2, 3, 11, 12])
  }

  @Test func eachStorageHasLargeUploadShare() async throws {
    let lanes = Lanes(concurrency: 16, destinations: lanes.destinations)
    #expect(try await ledger.admit(files(20, at: "slow", size: Self.large), begin: 16, in: lanes).count == 7)
    #expect(try await ledger.admit(files(20, size: Self.large), begin: 9, in: lanes).count == 1)
  }

  @Test func priorityAppliesWithinLane() async throws {
    let large = files(4, size: Self.large) + files(4, size: Self.large, priority: 1)
    _ = try await ledger.admit(files(2) + large + files(2, priority: 1))
    #expect(numbers(try await ledger.beginDue(upTo: 8, in: lanes)) == [7, 8, 9, 11, 12, 1])
  }

  @Test func largeRetryDoesNotStartImmediately() async throws {
    let lanes = Lanes(concurrency: 2, destinations: lanes.destinations)
    let first = try #require(try await ledger.admit(files(2, size: Self.large), begin: 1, in: lanes).first)
    let ended = try await ledger.finish(
      first, .failed(Failure(.transient, "HTTP 500"), .retry(after: .zero)), thenTakeIn: lanes)
    #expect(ended.job?.state == .deferred && ended.next?.number.rawValue == 2)
    _ = try await ledger.admit(files(1))
    #expect(numbers(try await ledger.beginDue(upTo: 1, in: lanes)) == [], "one slot is the backend's")
  }

  @Test func probeMayBeLargeUpload() async throws {
    let lanes = Lanes(concurrency: 2, destinations: [.backend("main"), .storage("main"), .storage("slow")])
    let first = try await ledger.admit(files(1, at: "slow", size: Self.large), begin: 1, in: lanes)
    _ = try await ledger.finish(
      try #require(first.first), .failed(Failure(.unavailable, "HTTP 503", status: 503), .abort), thenTakeIn: nil)
    _ = try await ledger.admit(files(1, at: "slow", size: Self.large) + files(1, size: Self.large))
    let wide = Lanes(concurrency: 3, destinations: lanes.destinations)
    #expect(try await ledger.beginDue(upTo: 1, in: wide).map(\.destination) == [.storage("main")])
    box.time.pass(.seconds(30))
    #expect(try await ledger.beginDue(upTo: 1, in: wide).map(\.destination) == [.storage("slow")])
  }

  /// Counting and reading anew come to the same as keeping both up.
  @Test func lanesSurviveRestartAndPause() async throws {
    let box = try LedgerBox()
    do {
      let ledger = try box.open()
      let admissions = files(10, size: Self.large) + files(2) + files(3, spool: "paused")
      _ = try await ledger.admit(admissions, begin: 2, in: lanes)
      #expect(ledger.counts.inFlight.total == 2)
      _ = try await ledger.pause(.spool("paused"), by: .alice)
      #expect(ledger.counts.inFlight[.storage("main")] == 2 && ledger.counts.largeInFlight.total == 2)
      #expect(numbers(try await ledger.beginDue(upTo: 8, in: lanes)) == [3, 11, 12])
    }
    let again = try box.open()
    #expect(again.counts.inFlight.total == 0 && again.counts.queuedLarge == [.storage("main"): 10])
    #expect(numbers(try await again.beginDue(upTo: 8, in: lanes)) == [1, 2, 3, 11, 12])
    _ = try await again.resume(.spool("paused"), by: .alice)
    #expect(numbers(try await again.beginDue(upTo: 8, in: lanes)) == [13])
  }
}
