import Jobs
import Linux
import Testing

@testable import Spool

/// A file that was renamed in rests, for the program that renamed it to look at it once more.
extension CandidatesTests {
  private func resting(_ rest: Duration = .milliseconds(10)) -> Candidates {
    Candidates(
      SpoolOptions(
        settle: .milliseconds(500), settleUnseen: .seconds(10), settleOpen: .seconds(300), settleEmpty: .seconds(10),
        settleRenamed: rest), limit: 10_000)
  }

  /// The first millisecond at which the file of hints at their milliseconds is taken.
  private func takenAt(
    _ hints: [(Int, Inotify.Happening)], _ rest: Duration, size: Int = 1, writers: Writers = .unknown
  ) throws -> Int? {
    var candidates = resting(rest)
    let facts = try facts(size)
    var rest = hints[...]
    for moment in [0, 1, 5, 9, 10, 11, 14, 15, 16, 20, 500, 505, 509, 510, 9999, 10_000, 10_005, 20_000, 310_000] {
      while let next = rest.first, next.0 <= moment {
        candidates.heard(next.1, name, now: start + .milliseconds(next.0)) { _ in facts }
        rest = rest.dropFirst()
      }
      let now = start + .milliseconds(moment)
      candidates.lookAgain(now: now, look: { _ in facts })
      if candidates.takeReady(now: now, look: { _ in facts }, writers: { _, _ in writers }) != nil { return moment }
    }
    return nil
  }

  @Test func onlyRenamedFilesRest() throws {
    let table: [(String, [(Int, Inotify.Happening)], rested: Int?, unrested: Int?)] = [
      ("renamed in", [(0, .movedIn)], 10, 0),
      ("renamed in twice", [(0, .movedIn), (5, .movedOut), (5, .movedIn)], 15, 0),
      ("renamed in and read", [(0, .movedIn), (1, .opened), (1, .closedAfterReading)], 10, 0),
      ("renamed in, read for long", [(0, .movedIn), (9, .opened)], 10, 0),
      ("renamed in and away", [(0, .movedIn), (5, .movedOut)], nil, 0),
      ("renamed in and removed", [(0, .movedIn), (5, .removed)], nil, 0),
      ("renamed in, then closed by a writer", [(0, .movedIn), (5, .modified), (5, .closedAfterWriting)], 505, 0),
      ("made and closed", [(0, .created), (0, .opened), (0, .closedAfterWriting)], 500, 500),
      ("made by its closing", [(0, .closedAfterWriting)], 500, 500),
    ]
    for (history, hints, rested, unrested) in table {
      #expect(try takenAt(hints, .milliseconds(10), writers: .none) == rested, "\(history)")
      #expect(try takenAt(hints, .zero, writers: .none) == unrested, "\(history), settle_renamed = \"0\"")
    }
    #expect(try takenAt([(0, .movedIn)], .milliseconds(10)) == 10, "nobody can tell who has it open")
    #expect(try takenAt([(0, .movedIn)], .milliseconds(10), size: 0) == 10_000, "empty")
    #expect(try takenAt([(0, .movedIn)], .milliseconds(10), writers: .some) == nil, "open for writing")
  }

  /// One deadline for all names of one reading of events, nothing looked at meanwhile, and each once at the end.
  @Test func batchRestsTogether() throws {
    var candidates = resting()
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
    while let next = candidates.nextDeadline, next <= due { candidates.lookAgain(now: due, look: look) }
    #expect(candidates.readyCount == 5000 && looks == 0)
    var taken: [FileName] = []
    while let name = candidates.takeReady(now: due, look: look) { taken.append(name) }
    #expect(Set(taken) == Set(names) && looks == 5000)
    #expect(candidates.count == 0 && candidates.nextDeadline == nil)
  }

  /// A reload takes the new time for those that rest, and loses none.
  @Test func reloadAppliesNewRestTime() throws {
    let facts = try facts(1)
    for (rest, due) in [(Duration.zero, 5), (.milliseconds(100), 100)] {
      var candidates = resting()
      candidates.heard(.movedIn, name, now: start) { _ in facts }
      candidates.goOn(by: resting(rest).options, now: start + .milliseconds(5)) { _ in true }
      for moment in [5, 99, 100] {
        let now = start + .milliseconds(moment)
        candidates.lookAgain(now: now, look: { _ in facts })
        #expect((candidates.readyCount == 1) == (moment >= due), "\(rest) at \(moment)")
      }
    }
  }
}
