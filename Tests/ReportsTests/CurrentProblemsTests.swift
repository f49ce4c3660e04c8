import ControlAPI
import Jobs
import MessageLiterals
import Messages
import Seams
import Synchronization
import Testing

@testable import Reports

@Suite struct CurrentProblemsTests {
  /// A clock that moves by a second whenever it is read, and a count of what was heard.
  private final class World: Sendable {
    let second = Mutex<Int64>(0)
    let changes = Mutex(0)

    var problems: CurrentProblems {
      let problems = CurrentProblems(
        clock: Clock(
          now: { [self] in
            second.withLock {
              $0 += 1
              return Timestamp(seconds: $0)
            }
          }, steady: { Timestamp(seconds: 0) }))
      problems.onChange { [self] in changes.withLock { $0 += 1 } }
      return problems
    }
  }

  private let spool = CurrentProblems.Key(area: .spool, subject: "documents", cause: "rights 13")

  @Test func problemStandsUntilCleared() {
    let world = World()
    let problems = world.problems
    #expect(problems.messages.isEmpty)
    problems.set(spool, "first words", remedy: "chown")
    problems.set(.init(area: .ledger), "full", remedy: "make room")
    problems.set(spool, "other words", remedy: "setfacl")
    #expect(problems.messages.map(\.what) == ["other words", "full"])
    #expect(problems.messages.map(\.remedy) == ["setfacl", "make room"])
    #expect(problems.messages.map(\.since) == [Timestamp(seconds: 1), Timestamp(seconds: 2)])
    #expect(problems.counts == [.spool: 1, .ledger: 1])
    for _ in 0..<2 { problems.clear(spool) }
    #expect(problems.messages.map(\.what) == ["full"])
    #expect(world.changes.withLock(\.self) == 3, "what changes nothing is not told")
  }

  @Test func recurringProblemGetsNewNumber() {
    let problems = World().problems
    problems.set(spool, "3 files", remedy: nil)
    let number = problems.current.first?.number
    problems.set(spool, "4 files", remedy: nil)
    #expect(problems.current.first?.number == number && problems.current.first?.key == spool)
    problems.clear(spool)
    problems.set(spool, "4 files", remedy: nil)
    #expect(problems.current.count == 1 && problems.current.first?.number != number)
  }

  @Test func forgetsProblemsOfUnusedSubjects() {
    let problems = World().problems
    for name in ["old", "new"] { problems.set(.init(area: .credentials, subject: name), .text(name), remedy: nil) }
    problems.set(spool, "stays", remedy: nil)
    problems.keep(.credentials, only: ["new"])
    #expect(problems.messages.map(\.what) == ["new", "stays"])
  }

  @Test func queryTriggersFreshCheck() {
    let problems = World().problems
    let isShort = Atomic(true)
    problems.updateWhenRead { [spool] in
      if isShort.load(ordering: .relaxed) { problems.set(spool, "short", remedy: nil) } else { problems.clear(spool) }
    }
    #expect(problems.counts == [.spool: 1])
    isShort.store(false, ordering: .relaxed)
    #expect(problems.messages.isEmpty)
  }
}
