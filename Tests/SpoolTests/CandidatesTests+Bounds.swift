import Jobs
import Linux
import Testing

@testable import Spool

extension CandidatesTests {
  @Test func repeatedEventLossStarvesNothing() throws {
    let facts = try facts(1)
    var candidates = candidates()
    candidates.found(name, facts, age: .zero, now: start)
    for second in 1...10 {
      candidates.distrust(now: start + .seconds(second))
      candidates.settleDue(now: start + .seconds(second), look: { _ in facts })
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
    for _ in 0..<9 { candidates.settleDue(now: start + .seconds(12), look: { _ in facts }) }
    #expect(candidates.readyCount == names.count + 1)
    var ageless = self.candidates(limit: 100_000)
    for name in names { ageless.found(name, facts, age: .zero, now: start) }
    #expect(ageless.count == names.count && !ageless.wasFull)
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
    candidates.settleDue(now: start + .seconds(60), look: { _ in facts })
    #expect(candidates.takeReady(now: start + .seconds(60)) { _ in facts } == name)
    #expect(candidates.takeReady(now: start + .seconds(60)) { _ in facts } == nil)
  }

  /// One deadline for all names of one reading of events, nothing looked at meanwhile, and each once at the end.
  @Test func batchRestsTogether() throws {
    var candidates = Candidates(
      SpoolOptions(
        settle: .milliseconds(500), settleUnseen: .seconds(10), settleOpen: .seconds(300), settleEmpty: .seconds(10),
        settleRenamed: .milliseconds(10)), limit: 10_000)
    let facts = try facts(1)
    var looks = 0
    func look(_: FileName) -> FileFacts? {
      looks += 1
      return facts
    }
    let names = (0..<5000).map { FileName("f\($0)") }
    for name in names { candidates.heard(.movedIn, name, now: start, look: look) }
    let due = start + .milliseconds(10)
    #expect(candidates.nextDeadline == due && candidates.readyCount == 0 && looks == 0)
    while let next = candidates.nextDeadline, next <= due { candidates.settleDue(now: due, look: look) }
    #expect(candidates.readyCount == 5000 && looks == 0)
    var taken: [FileName] = []
    while let name = candidates.takeReady(now: due, look: look) { taken.append(name) }
    #expect(Set(taken) == Set(names) && looks == 5000)
    #expect(candidates.count == 0 && candidates.nextDeadline == nil)
  }
}
