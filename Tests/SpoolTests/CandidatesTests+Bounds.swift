import Jobs
import Linux
import Testing

@testable import Spool

/// Lost events, and a table that is full.
extension CandidatesTests {
  /// However often events are lost, what is still gets its turn.
  @Test func repeatedEventLossStarvesNothing() throws {
    let facts = try facts(1)
    var candidates = candidates()
    candidates.found(name, facts, age: .zero, now: start)
    for second in 1...10 {
      candidates.distrust(now: start + .seconds(second))
      candidates.lookAgain(now: start + .seconds(second), look: { _ in facts })
    }
    #expect(candidates.readyCount == 1)
  }

  @Test func scanDefersExcessYoungFiles() throws {
    let facts = try facts(1)
    let names = (0..<Candidates.mostYoung + 2).map { FileName("f\($0)") }
    var candidates = candidates(limit: 100_000)
    func scan(age: Duration) {
      for name in names { candidates.found(name, facts, age: age, now: start + age) }
    }
    scan(age: .seconds(1))
    #expect(candidates.count == Candidates.mostYoung)
    #expect(candidates.wasFull)
    candidates.heard(.movedIn, FileName("whole"), now: start + .seconds(2)) { _ in facts }
    #expect(candidates.readyCount == 1, "what need not wait is taken in")
    scan(age: .seconds(11))
    #expect(candidates.readyCount == 3, "the two that found no room are old enough now")
    for _ in 0..<9 { candidates.lookAgain(now: start + .seconds(12), look: { _ in facts }) }
    #expect(candidates.readyCount == names.count + 1)
  }

  @Test func keepsAllFilesWithoutKnownAge() throws {
    let facts = try facts(1)
    var candidates = candidates(limit: 100_000)
    for number in 0..<Candidates.mostYoung + 2 {
      candidates.found(FileName("f\(number)"), facts, age: .zero, now: start)
    }
    #expect(candidates.count == Candidates.mostYoung + 2)
    #expect(!candidates.wasFull)
  }

  @Test func repeatedHintsDoNotAccumulate() throws {
    let facts = try facts(1)
    var candidates = candidates()
    for step in 0..<20_000 {
      candidates.heard(.closedAfterWriting, name, now: start + .milliseconds(step)) { _ in facts }
      candidates.heard(.movedIn, FileName("g"), now: start) { _ in facts }
      candidates.heard(.movedOut, FileName("g"), now: start) { _ in facts }
    }
    #expect(candidates.count == 1)
    #expect(candidates.readyCount <= 1026)
    candidates.lookAgain(now: start + .seconds(60), look: { _ in facts })
    #expect(candidates.takeReady(now: start + .seconds(60)) { _ in facts } == name)
    #expect(candidates.takeReady(now: start + .seconds(60)) { _ in facts } == nil)
  }
}
