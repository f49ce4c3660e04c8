import ChildProcesses
import Foundation
import Glibc
import Jobs
import Testing

@testable import Linux
@testable import Spool

/// Readiness as a table of hints, on a clock and files of the test's own.
@Suite struct CandidatesTests {

  let place: Place
  let start = ContinuousClock.now
  let name = FileName("f")

  init() throws { place = try Place() }

  func candidates(limit: Int = 100) -> Candidates {
    Candidates(
      SpoolOptions(
        settle: .milliseconds(500), settleUnseen: .seconds(10), settleOpen: .seconds(300), settleEmpty: .seconds(10)),
      limit: limit)
  }

  /// Facts of one and the same file when it has so many bytes.
  func facts(_ size: Int) throws -> FileFacts {
    try Data(count: size).write(to: URL(filePath: place.root + "/outside/f"))
    return try Directory(path: place.root + "/outside").facts(of: Array("f".utf8))
  }

  /// Plays hints at their milliseconds and says from which of the moments on the file is ready.
  private func readyAt(_ hints: [(Int, Inotify.Happening)], looks: [Int]) throws -> Int? {
    var candidates = candidates()
    let facts = try facts(1)
    var rest = hints[...]
    for moment in looks {
      while let next = rest.first, next.0 <= moment {
        candidates.heard(next.1, name, now: start + .milliseconds(next.0)) { _ in facts }
        rest = rest.dropFirst()
      }
      let now = start + .milliseconds(moment)
      candidates.settleDue(now: now, look: { _ in facts })
      if candidates.takeReady(now: now, look: { _ in facts }) != nil { return moment }
    }
    return nil
  }

  @Test func eachHistoryHasReadyTime() throws {
    let looks = [
      0, 1, 100, 499, 500, 501, 1000, 1499, 1500, 5000, 9999, 10_000, 10_001, 10_400, 20_000, 20_400, 100_000, 300_000,
      310_000, 310_400, 400_000,
    ]
    let table: [(String, [(Int, Inotify.Happening)], Int?)] = [
      ("moved in", [(0, .movedIn)], 0),
      ("made and closed", [(0, .created), (0, .opened), (0, .modified), (0, .closedAfterWriting)], 500),
      ("touched", [(0, .created), (0, .opened), (0, .closedAfterWriting)], 500),
      ("closed twice", [(0, .closedAfterWriting), (1000, .closedAfterWriting)], 500),
      ("closed, then written on", [(0, .closedAfterWriting), (400, .modified)], 310_400),
      ("closed, written, closed", [(0, .closedAfterWriting), (400, .modified), (1000, .closedAfterWriting)], 1500),
      ("open for long", [(0, .created), (0, .opened)], 300_000),
      ("made without an opening", [(0, .created)], 10_000),
      (
        "made, and read before the first write",
        [(0, .created), (0, .opened), (1, .opened), (1, .closedAfterReading)], 300_000
      ),
      (
        "made, and read before it is closed",
        [
          (0, .created), (0, .opened), (1, .opened), (1, .modified), (2, .closedAfterReading), (3, .closedAfterWriting),
        ], 1000
      ),
      (
        "opened by a reader after closing", [(0, .closedAfterWriting), (100, .opened), (100, .closedAfterReading)],
        310_000
      ),
      (
        "made, closed, opened by a reader",
        [(0, .created), (0, .opened), (0, .closedAfterWriting), (100, .opened), (100, .closedAfterReading)], 500
      ),
      (
        "made and closed by a second writer",
        [(0, .created), (0, .opened), (0, .modified), (1, .opened), (1, .closedAfterWriting)], 310_000
      ),
      ("a placeholder", [(0, .created), (0, .opened), (0, .closedAfterWriting), (100, .opened)], 310_000),
      ("moved away", [(0, .closedAfterWriting), (100, .movedOut)], nil),
      ("removed", [(0, .closedAfterWriting), (100, .removed)], nil),
      ("a directory", [(0, [.created, .isDirectory])], nil),
    ]
    for (history, hints, moment) in table {
      #expect(try readyAt(hints, looks: looks) == moment, "\(history)")
    }
  }

  /// The first of these seconds at which a file is taken of which all was heard at the start.
  func takenAt(
    _ hints: [Inotify.Happening], _ writers: Writers, facts: FileFacts, leased: Candidates.Leased = .none
  ) -> Int? {
    var candidates = candidates()
    candidates.leased = leased
    for hint in hints { candidates.heard(hint, name, now: start) { _ in facts } }
    for second in [0, 1, 10, 20, 30, 299, 300, 310, 1000] {
      let now = start + .seconds(second)
      candidates.settleDue(now: now, look: { _ in facts })
      if candidates.takeReady(now: now, look: { _ in facts }, writers: { _, _ in writers }) != nil { return second }
    }
    return nil
  }

  @Test func emptyFileWaitsAsPlaceholder() throws {
    let empty = try facts(0)
    for hints in [[Inotify.Happening.movedIn], [.created, .opened, .closedAfterWriting]] {
      #expect(takenAt(hints, .none, facts: empty) == 10)
      #expect(takenAt(hints, .unknown, facts: empty) == 10)
    }
  }

  private func made(size: Int = 1) -> FileFacts {
    var facts = stat()
    facts.st_mode = S_IFREG
    facts.st_ino = 1
    facts.st_nlink = 1
    facts.st_uid = 7
    facts.st_size = off_t(size)
    facts.st_ctim.tv_sec = 1
    return FileFacts(facts)
  }

  /// A file is made by an open, or by the link(2) of one that was written elsewhere (WinSCP, SFTP's rename, O_TMPFILE). It makes no
  /// difference where a lease tells that nobody writes.
  @Test func madeFileIsTakenSoonByLease() {
    for leased in [Candidates.Leased.all, .ofUser(7)] {
      #expect(takenAt([.created], .none, facts: made(), leased: leased) == 1)
      #expect(takenAt([.created], .some, facts: made(), leased: leased) == nil)
      #expect(takenAt([.created, .modified], .none, facts: made(), leased: leased) == 20)
      #expect(takenAt([.created], .none, facts: made(size: 0), leased: leased) == 10)
    }
    // With CAP_LEASE no openings are heard: its maker may have it open.
    #expect(takenAt([.created], .unknown, facts: made(), leased: .all) == 300)
    #expect(takenAt([.created], .unknown, facts: made(), leased: .ofUser(7)) == 10)
    #expect(takenAt([.created], .none, facts: made(), leased: .ofUser(8)) == 10)
  }

  /// The question who has a file open opens it: where it can be asked, an opening by itself makes no candidate of a file that was left
  /// alone. A write and the closing after it always do.
  @Test func ownOpeningMakesNoCandidate() throws {
    let facts = try facts(1)
    let table: [(Candidates.Leased, counts: Bool)] = [
      (.none, true), (.ofUser(facts.owner), false), (.ofUser(facts.owner + 1), true), (.all, false),
    ]
    for (leased, counts) in table {
      let hints: [(Inotify.Happening, makesOne: Bool)] = [
        (.opened, counts), (.closedAfterReading, false), (.modified, true), (.closedAfterWriting, true),
      ]
      for (happening, makesOne) in hints {
        var candidates = candidates()
        candidates.leased = leased
        candidates.heard(happening, name, now: start) { _ in facts }
        #expect((candidates.count == 1) == makesOne, "\(leased), \(happening)")
      }
    }
  }

  @Test func deadlinesComeInOrder() {
    var deadlines = Deadlines<FileName>()
    var random: any RandomNumberGenerator = Seeds.numbers()
    for _ in 0..<1000 { deadlines.add(name, at: start + .milliseconds(Int.random(in: 0..<5000, using: &random))) }
    var last = start
    var count = 0
    while let entry = deadlines.popDue(at: start + .seconds(5)) {
      #expect(entry.moment >= last)
      last = entry.moment
      count += 1
    }
    #expect(count == 1000)
  }

  /// A problem ends soon after its cause, unless scans take long: then they take a twentieth of the time.
  @Test func problemsAreLookedAtSoonAgain() throws {
    var options = place.options()
    options.longestLook = .seconds(2)
    func interval(_ isTroubled: Bool, _ lastScan: Duration) -> Duration {
      SpoolWatch.interval(options, isTroubled: isTroubled, lastScan: lastScan)
    }
    #expect(interval(false, .zero) == .seconds(300), "nothing is wrong")
    #expect(interval(true, .milliseconds(1)) == .seconds(2))
    #expect(interval(true, .seconds(1)) == .seconds(20))
    #expect(interval(true, .seconds(60)) == .seconds(300), "never later than without a problem")
  }

  @Test func claimedPlacesRoundTrip() throws {
    let id = JobID(high: 0x0193_9F5C_7B1A_7C3D, low: 0x9E4F_0123_4567_89AB)
    for bytes in [Array("a".utf8), Array("~x~".utf8), [0xFF], [UInt8](repeating: 1, count: 218)] {
      let claimed = ClaimedPath(id, FileName(bytes: bytes))
      #expect(claimed.folders.isEmpty, "\(bytes.count) bytes fit")
      let parsed = try #require(ClaimedPath.parse(claimed.path))
      #expect(parsed.id == id)
      #expect(parsed.name.bytes == bytes)
    }
    #expect(ClaimedPath.parse(Array("\(id.description.uppercased())~a".utf8)) == nil, "would not be found again")
    let long = ClaimedPath(id, FileName(bytes: [UInt8](repeating: 1, count: 219)))
    #expect(long.folders == [Array(id.description.utf8)] && long.path.count == 36 + 1 + 219)
  }
}

extension Candidates {
  /// Takes a name where no lease can be had, as of another user's file.
  mutating func takeReady(now: Instant, look: Look, writers: Ask) -> FileName? {
    next(now: now, look: look, writers: writers)?.name
  }

  mutating func takeReady(now: Instant, look: Look) -> FileName? {
    takeReady(now: now, look: look, writers: { _, _ in .unknown })
  }
}
