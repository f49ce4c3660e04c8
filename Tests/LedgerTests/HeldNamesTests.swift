import Jobs
import MessageLiterals
import Testing

@testable import Ledger

/// Jobs of one name in a spool whose files stay where they are. One of them holds the name at a time, so that a file is not sent twice.
@Suite struct HeldNamesTests {
  private let kept: KeptBox
  private var ledger: JobLedger { kept.ledger }

  init() throws { kept = try KeptBox() }

  private init(in box: LedgerBox) throws { kept = try KeptBox(in: box) }

  private static let sum = KeptBox.sum
  private static let file = KeptFile.sample("a")
  private static let touched = KeptFile.sample("a", modified: 8, changed: 8)
  private static let touchedAgain = KeptFile.sample("a", modified: 9, changed: 9)

  private func standing(_ file: KeptFile) async throws -> KeptStanding? { try await kept.standing(file) }

  private func admit(_ file: KeptFile) async throws -> Job { try #require(try await kept.admit(file)) }

  private func command(_ command: JobCommand, _ job: Job) async throws { try await kept.command(command, job) }

  private func begun() async throws -> [Job] { try await ledger.beginDue(upTo: 10, in: both) }

  private func state(_ job: Job) async throws -> JobState? { try await ledger.job(.number(job.number))?.state }

  private func abort(_ job: Job) async throws {
    _ = try await ledger.finish(job, .failed(Failure(.rejected, "no"), .abort), thenTakeIn: nil)
  }

  /// Ends the attempt of a job that does not hold its name.
  @discardableResult
  private func putOff(_ job: Job) async throws -> Job? {
    let failure = Failure(.file, "another goes first", code: Failure.nameHeldCode)
    return try await ledger.finish(job, .failed(failure, .wait(after: .seconds(3600))), thenTakeIn: nil).job
  }

  private func store(_ job: Job) async throws {
    _ = try await ledger.finish(job, .uploaded(.sample(sha256: Self.sum)), thenTakeIn: nil)
  }

  /// Two stopped jobs of a file, and a third one of it that is in flight.
  private func three() async throws -> (Job, Job, Job) {
    try await ledger.beginCard()
    var jobs: [Job] = []
    for file in [Self.file, Self.touched, Self.touchedAgain] {
      let job = try await admit(file)
      if file != Self.touchedAgain { try await abort(job) }
      jobs.append(job)
    }
    return (jobs[0], jobs[1], jobs[2])
  }

  @Test func retriedJobHasItsFileAgain() async throws {
    try await ledger.beginCard()
    let first = try await admit(Self.file)
    try await abort(first)
    let other = KeptFile.sample("a", inode: 7, modified: 8, changed: 8)
    let second = try await admit(other)
    try await abort(second)
    try await command(.retry, first)
    #expect(try await standing(Self.file) == .known(first.number))
    let again = try #require(try await begun().first)
    #expect(try await ledger.holdName(of: again) == nil)
    try await command(.retry, second)
    let waiting = try #require(try await begun().first)
    #expect(try await ledger.holdName(of: waiting) == first.number)
    try await command(.cancel(), first)
    #expect(try await standing(Self.file) == .known(first.number), "it has its file's facts, which is another file")
  }

  @Test func jobsThatWaitedGoOneByOne() async throws {
    let (first, second, third) = try await three()
    for job in [first, second] { try await command(.retry, job) }
    for job in try await begun() {
      #expect(try await ledger.holdName(of: job) == third.number)
      try await putOff(job)
    }
    #expect(ledger.counts.jobs[.deferred] == 2)
    try await abort(third)
    let due = try await begun()
    #expect(due.map(\.number) == [first.number, second.number], "the end of the third makes both due")
    #expect(try await ledger.holdName(of: due[0]) == nil)
    #expect(try await ledger.holdName(of: due[1]) == first.number)
    try await putOff(due[1])
    #expect(try await state(second) == .deferred)
    try await command(.cancel(), first)
    let last = try #require(try await begun().first)
    #expect(last.number == second.number)
    #expect(try await ledger.holdName(of: last) == nil)
  }

  /// A job that had to wait holds its name from its attempt on, however long its backend is down afterwards.
  @Test func jobThatWaitedHoldsItsName() async throws {
    let (first, _, third) = try await three()
    try await command(.retry, first)
    var again = try #require(try await begun().first)
    try await putOff(again)
    try await abort(third)
    again = try #require(try await begun().first)
    #expect(try await ledger.holdName(of: again) == nil)
    try await store(again)
    #expect(try await standing(.sample("a", changed: 99)) == .known(first.number), "its mode was changed")
    let other = try await ledger.admit([.kept(.sample("a", changed: 99))], begin: 10, in: both)
    #expect(other.map(\.number) == [first.number], "it goes on, and is no other job")
  }

  /// An attempt that ends after the one that it has to wait for goes on at once. So does one whose name nobody holds.
  @Test func jobDoesNotWaitForWhatIsOver() async throws {
    let (first, _, third) = try await three()
    try await command(.retry, first)
    let again = try #require(try await begun().first)
    #expect(try await ledger.holdName(of: again) == third.number)
    try await abort(third)
    #expect(try await putOff(again)?.state == .queued)
  }

  @Test func stoppedAttemptHoldsNothing() async throws {
    let (first, _, third) = try await three()
    try await command(.retry, first)
    let again = try #require(try await begun().first)
    try await abort(third)
    try await command(.cancel(), first)
    #expect(try await ledger.holdName(of: again) == third.number)
    #expect(try await standing(Self.touchedAgain) == .known(third.number))
  }

  /// A restart forgets which job waits for which. When the spool is opened, each looks again.
  @Test func waitEndsAfterRestart() async throws {
    let box = try LedgerBox()
    func wait() async throws -> (JobNumber, JobNumber) {
      let before = try HeldNamesTests(in: box)
      let (first, _, third) = try await before.three()
      try await before.command(.retry, first)
      try await before.putOff(try #require(try await before.begun().first))
      try before.ledger.close()
      return (first.number, third.number)
    }
    let (first, third) = try await wait()
    let again = try box.open()
    _ = try await again.carryOut(.cancel(), on: .number(third), by: .recovery)
    #expect(try await again.beginDue(upTo: 10, in: both).isEmpty)
    try await again.makeDueWithMedium(of: "card")
    #expect(try await again.beginDue(upTo: 10, in: both).map(\.number) == [first])
  }

  /// A stored file is registered before another job of the file begins, which then finds it sent.
  @Test func storedJobGoesFirst() async throws {
    try await ledger.beginCard()
    let first = try await admit(Self.file)
    try await store(first)
    try await command(.cancel(), first)
    let second = try await admit(Self.touched)
    try await command(.retry, first)
    #expect(try await ledger.holdName(of: second) == first.number)
    try await putOff(second)
    let registering = try #require(try await begun().first)
    #expect(try await ledger.holdName(of: registering) == nil)
    _ = try await ledger.finish(registering, .registered(.sample), thenTakeIn: nil)
    let due = try #require(try await begun().first)
    #expect(due.number == second.number)
    #expect(try await ledger.holdName(of: due) == nil)
    let sent = try await ledger.sentFiles(like: due, sha256: Self.sum)
    #expect(sent.first?.job == first.number)
    #expect(try await standing(Self.touched) == .known(second.number))
  }

  /// The file of a job that is given up before its attempt has looked at it is known as it was last.
  @Test func retryKeepsNewerFacts() async throws {
    try await ledger.beginCard()
    let first = try await admit(Self.file)
    try await abort(first)
    try await abort(try await admit(Self.touched))
    try await command(.retry, first)
    let again = try #require(try await begun().first)
    let away = Failure(.file, "away", code: Failure.awayCode)
    _ = try await ledger.finish(again, .failed(away, .wait(after: .seconds(30))), thenTakeIn: nil)
    try await command(.cancel(), first)
    #expect(try await standing(Self.touched) == .known(first.number))
  }

  /// A question about a medium that never came back is nothing to the files of that name on other cards. Its answer waits for them.
  @Test func questionAboutLostMediumFreesItsName() async throws {
    try await ledger.beginCard()
    let first = try await admit(Self.file)
    let away = Failure(.file, "away", code: Failure.awayCode)
    _ = try await ledger.finish(first, .failed(away, .ask), thenTakeIn: nil)
    let other = KeptFile.sample("a", inode: 7, modified: 8, changed: 8)
    #expect(try await standing(Self.file) == .known(first.number))
    #expect(try await standing(other) == .new)
    let second = try await admit(other)
    try await command(.confirm(), first)
    let answered = try #require(try await begun().first)
    #expect(try await ledger.holdName(of: answered) == second.number)
    try await putOff(answered)
    _ = try await ledger.finish(second, .failed(away, .ask), thenTakeIn: nil)
    let due = try #require(try await begun().first)
    #expect(due.number == first.number)
    #expect(try await ledger.holdName(of: due) == nil)
  }
}
