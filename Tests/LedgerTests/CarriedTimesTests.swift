import ChildProcesses
import Jobs
import MessageLiterals
import SQLite
import Testing

@testable import Ledger

/// The times of the ledger are on a clock that goes on from daemon to daemon, whatever somebody does to the machine's clock.
@Suite(.slot) struct CarriedTimesTests {
  enum Moment: CaseIterable {
    case whileItRuns, afterItsEnd, afterAKill
  }

  private static let storage = Destination.storage("main")
  private static let lanes = Lanes.wide([.backend("main"), storage, .storage("other")])
  private static let (pause, gatePause): (Duration, Duration) = (.seconds(600), .seconds(300))
  /// The time that the daemon runs after that, and the time until the next one.
  private static let (ran, off): (Duration, Duration) = (.seconds(200), .seconds(60))
  private static let day = Duration.seconds(86_400)
  private static let steps: [Duration] = [
    .seconds(1), .seconds(20), .seconds(55 * 60), .seconds(3599), .seconds(3601), day, day * 400, day * 3650,
  ]

  private let box: LedgerBox

  init() throws { box = try LedgerBox() }

  private func wait(in ledger: JobLedger) async throws {
    let retry = AttemptResult.failed(Failure(.transient, "HTTP 500"), .retry(after: Self.pause))
    let throttled = Failure(.throttled, "HTTP 429", status: 429, retryAfter: Self.gatePause)
    let jobs = try await ledger.admit([.sample("a"), .sample("b", storage: "other")], begin: 2, in: Self.lanes)
    for job in jobs {
      let result = job.destination == Self.storage ? retry : .failed(throttled, .wait(after: Self.gatePause))
      _ = try await ledger.finish(job, result, thenTakeIn: nil)
    }
    _ = try await ledger.admit([.sample("c", storage: "other")])
  }

  private func left(_ ledger: JobLedger) throws -> (job: Duration, gate: Duration) {
    let until = try #require(ledger.counts.gates[.storage("other")]?.until)
    let jobs = try ledger.pool.readNow { db in try db.column("SELECT next_attempt_at FROM job") as [Int64?] }
    let time = try #require(jobs.first ?? nil)
    return (Timestamp(microseconds: time) - box.time.now, until - box.time.now)
  }

  /// A wait is never longer than what was left of it when the ledger last noted the time, nor than by the clocks; and it is no shorter.
  @Test(arguments: Moment.allCases, steps + steps.map { .zero - $0 } + [.zero])
  func setClockMakesNoWaitLonger(_ moment: Moment, by step: Duration) async throws {
    try await {
      let ledger = try box.open()
      try await wait(in: ledger)
      box.time.pass(Self.ran / 2)
      if moment == .whileItRuns { box.time.setWall(by: step) }
      box.time.pass(Self.ran / 2)
      if moment != .afterAKill { try ledger.close() }
    }()
    box.time.pass(Self.off)
    if moment != .whileItRuns { box.time.setWall(by: step) }
    box.time.restart()
    let known = moment == .afterAKill ? .zero : Self.ran
    func expected(_ pause: Duration) -> Duration { max(.zero, min(pause - known, pause - Self.ran - Self.off - step)) }
    for _ in 1...3 {
      let ledger = try box.open()
      let (job, gate) = try left(ledger)
      #expect((max(.zero, job), max(.zero, gate)) == (expected(Self.pause), expected(Self.gatePause)))
      try ledger.close()
    }
    // It ends, and what was behind the gate goes on.
    box.time.pass(Self.pause)
    let ledger = try box.open()
    let begun = try await ledger.beginDue(upTo: 9, in: Self.lanes)
    #expect(Set(begun.map(\.destination)) == [Self.storage, .storage("other")])
  }

  /// Nor does a time that no clock ever showed.
  @Test(arguments: [Int64.min, -1, 0, 1 << 53, .max], [Int64.min, -1, 0, 1 << 53, .max])
  func timesOfNoClockAreBounded(_ noted: Int64, _ time: Int64) async throws {
    try await {
      let ledger = try box.open()
      try await wait(in: ledger)
      try ledger.close()
    }()
    let db = try Database(path: box.directory + "/" + JobLedger.fileName)
    try db.execute("UPDATE last_number SET number = ? WHERE name = 'time'", [noted])
    for (table, column) in [("job", "next_attempt_at"), ("gate", "until")] {
      try db.execute("UPDATE \(table) SET \(column) = ? WHERE \(column) IS NOT NULL", [time])
    }
    db.close()
    let ledger = try box.open(longestWait: Self.pause)
    let (job, gate) = try left(ledger)
    #expect(job <= Self.pause && gate <= Verdict.retryAfterLimits.upperBound)
    box.time.pass(.seconds(3601))
    #expect(try await ledger.beginDue(upTo: 9, in: Self.lanes).count == 2)
  }
}
