import ChildProcesses
import Glibc
import Jobs
import MessageLiterals
import Testing

@testable import Linux
@testable import Spool

/// Each table that the names of dropped files fill, with 68,000 names of one owner and one of another, in time of the test's own: what the
/// other owner dropped is taken, or kept, all the same.
@Suite(.aside) struct FullTableTests {
  private static let start = ContinuousClock.now
  private static let (many, few): (UInt32, UInt32) = (1001, 1002)
  private static let names = (0..<68_000).map { FileName("\($0).pdf") }
  private static let one = FileName("one.pdf")

  private static func facts(of owner: UInt32, links: Int = 1) -> FileFacts {
    var facts = stat()
    (facts.st_mode, facts.st_uid, facts.st_size) = (S_IFREG | 0o644, owner, 7)
    (facts.st_ino, facts.st_nlink) = (ino_t(owner), nlink_t(links))
    return FileFacts(facts)
  }

  enum Way: CaseIterable {
    case renamed, closed, found, foundOfKnownAge
  }

  enum Wait: CaseIterable {
    case writer, possibleWriter, document
  }

  /// A spool without files: hints, looks, claims and scans, each second.
  private struct SpoolModel {
    var candidates = Candidates(
      SpoolOptions(
        settle: .milliseconds(500), settleUnseen: .seconds(10), settleOpen: .seconds(300), settleEmpty: .seconds(10)))
    let (many, one): (FileFacts, FileFacts)
    let wait: Wait
    var second = 0

    var now: ContinuousClock.Instant { FullTableTests.start + .seconds(second) }

    init(_ wait: Wait, _ owner: UInt32) {
      self.wait = wait
      many = FullTableTests.facts(of: FullTableTests.many, links: 2)
      one = FullTableTests.facts(of: owner)
    }

    /// It captures no table, which each change would copy then.
    var look: (FileName) -> FileFacts? {
      let (many, one) = (many, one)
      return { $0 == FullTableTests.one ? one : many }
    }

    mutating func come(_ name: FileName, _ way: Way) {
      let look = self.look
      switch way {
      case .renamed: candidates.heard(.movedIn, name, now: now, look: look)
      case .closed: candidates.heard(.closedAfterWriting, name, now: now, look: look)
      case .found: find(name, hasAge: false)
      case .foundOfKnownAge: find(name, hasAge: true)
      }
    }

    private mutating func find(_ name: FileName, hasAge: Bool) {
      guard candidates.wants(name), let facts = look(name) else { return }
      candidates.found(name, facts, age: hasAge ? .seconds(second) : .zero, now: now)
    }

    mutating func pass(_ way: Way) -> Bool {
      second += 1
      let look = self.look
      if candidates.wasFull, second % 10 == 0 {
        candidates.wasFull = false
        for name in FullTableTests.names { find(name, hasAge: way == .foundOfKnownAge) }
        find(FullTableTests.one, hasAge: way == .foundOfKnownAge)
      }
      while let due = candidates.nextDeadline, due <= now { candidates.settleDue(now: now, look: look) }
      let wait = self.wait
      while candidates.readyCount > 0 {
        let next = candidates.next(now: now, look: look) { name, _ in
          name == FullTableTests.one || wait == .document ? .none : wait == .writer ? .some : .unknown
        }
        guard let (name, found) = next else { continue }
        if name == FullTableTests.one { return true }
        // Those that count as finished come again.
        var known = found
        if wait == .document { candidates.wait(name, &known, until: nil, as: .awaitingDocument) }
      }
      return false
    }
  }

  /// One of three combinations: all take more than a minute.
  private static let cases = Seeds.share(
    Wait.allCases.flatMap { wait in
      Way.allCases.flatMap { way in [few, many].map { (way: way, wait: wait, owner: $0) } }
    }, of: 3)

  @Test(arguments: cases) func oneFileOfAnotherIsTaken(way: Way, wait: Wait, owner: UInt32) {
    var model = SpoolModel(wait, owner)
    for name in Self.names { model.come(name, way) }
    _ = model.pass(way)
    model.come(Self.one, way)
    var isTaken = false
    while !isTaken, model.second < 60 { isTaken = model.pass(way) }
    #expect(isTaken, "of owner \(owner)")
    #expect(model.candidates.count <= model.candidates.limit)
  }

  /// A backlog that only waits for its turn keeps its order; another owner's file gets a place.
  @Test func backlogMakesRoomForAnother() {
    var model = SpoolModel(.document, Self.few)
    for name in Self.names { model.come(name, .renamed) }
    #expect(model.candidates.count == model.candidates.limit && model.candidates.wasFull)
    let look = model.look
    let first = model.candidates.takeReady(now: Self.start, look: look) { _, _ in .none }
    #expect(first == Self.names[0])
    model.come(FileName("more"), .renamed)
    model.come(Self.one, .renamed)
    #expect(model.candidates.table[Self.one] != nil)
    // Names that came at the same time are equal: which of them gave way is not decided.
    let next = Self.names.dropFirst().first { model.candidates.table[$0] != nil }
    let second = model.candidates.takeReady(now: Self.start, look: look) { _, _ in .none }
    #expect(second == next && second != nil)
  }

  /// Openers of names that are not wanted: what was opened last is known when it gets a wanted name.
  @Test func unwantedNameIsKnownWhenRenamed() {
    var candidates = SpoolModel(.writer, Self.few).candidates
    let look = SpoolModel(.writer, Self.few).look
    for name in Self.names + [Self.one] {
      for happening in [Inotify.Happening.created, .opened, .modified] {
        candidates.heardOfIgnored(happening, name, cookie: 0, now: Self.start)
      }
    }
    #expect(candidates.ignored.count <= Candidates.mostIgnored)
    candidates.heardOfIgnored(.movedOut, Self.one, cookie: 7, now: Self.start)
    candidates.heard(.movedIn, FileName("wanted"), cookie: 7, now: Self.start, look: look)
    let name = candidates.takeReady(now: Self.start, look: look) { _, _ in .unknown }
    #expect(name == nil && candidates.counts[.uncertain] == 1)
  }

  @Test func linkIsComparedWithFew() {
    var candidates = SpoolModel(.writer, Self.few).candidates
    let facts = Self.facts(of: Self.few, links: 2)
    var looks = 0
    func look(_ name: FileName) -> FileFacts? {
      looks += 1
      return name == Self.one ? facts : Self.facts(of: Self.many)
    }
    for name in Self.names.prefix(8000) { candidates.heard(.created, name, now: Self.start, look: look) }
    looks = 0
    candidates.heard(.created, Self.one, now: Self.start, look: look)
    #expect(looks <= Candidates.mostCompared + 1)
  }

  @Test func oneGroupOfAnotherIsTaken() {
    var groups = GroupCandidates()
    func look(hasMarker: Bool) -> GroupLook {
      GroupLook(files: 1, bytes: 1, hasMarker: hasMarker, changed: 0, modified: 0, sum: GroupSum(value: 1))
    }
    for name in Self.names {
      groups.met(name, owner: Self.many, now: Self.start)
      while let due = groups.next(now: Self.start) {
        groups.saw(due, look(hasMarker: false), age: .seconds(100), stillness: .seconds(10), now: Self.start)
      }
    }
    // Those of one owner are all due when that of another comes; it has the next turn but one.
    for name in groups.table.keys { groups.met(name, owner: Self.many, now: Self.start) }
    groups.met(Self.one, owner: Self.few, now: Self.start)
    let due = [groups.next(now: Self.start), groups.next(now: Self.start)]
    #expect(due.contains(Self.one))
    groups.saw(Self.one, look(hasMarker: true), age: .seconds(100), stillness: .seconds(10), now: Self.start)
    #expect(groups.takeReady()?.name == Self.one)
  }

  @Test func refusalOfAnotherStays() {
    var refusals = Refusals()
    let problem = SpoolProblem(SpoolOptions(name: "test", path: "/"), .claim, "it is refused", remedy: nil)
    refusals.add(Self.one, problem, owner: Self.few, now: Self.start)
    for (number, name) in Self.names.enumerated() {
      refusals.add(name, problem, owner: Self.many, now: Self.start + .seconds(number))
    }
    #expect(refusals.byName.count <= Refusals.most && refusals[Self.one] != nil)
    #expect(refusals[Self.names[67_999]] != nil, "the last ones stay")
  }

  /// With `{stem}`, all documents may wait for one sidecar, and only one can have it.
  @Test func manyDocumentsWaitForOneSidecar() {
    var waiting = WaitingDocuments()
    let sidecar = FileName("one.json")
    for round in 0..<3 {
      for name in Self.names { waiting.add(name, for: sidecar) }
      waiting.prune(toAbout: 0) { _ in round < 2 }
    }
    #expect(waiting.remove(for: sidecar) { _ in true }.isEmpty, "they do not wait any more")
    for name in Self.names { waiting.add(name, for: sidecar) }
    let told = waiting.remove(for: sidecar) { _ in true }
    #expect(!told.isEmpty && told.count <= 64)
  }

  @Test func manyUsersAreNoWayRound() {
    let members = (0..<1000).map {
      Crowd.Member(name: $0, owner: UInt32($0), isStuck: true, since: Self.start - .seconds($0))
    }
    #expect(Crowd.leavers(members, 10).map(\.name) == Array((990..<1000).reversed()))
  }

  private func folder(_ path: String) -> Folder { Folder(path: Array(path.utf8)) }

  /// Directories that are renamed again and again: no rename costs more than what is known of the directory that moves.
  @Test func renamesOfDirectoriesAreBounded() {
    var tree = WatchTree()
    var candidates = SpoolModel(.writer, Self.few).candidates
    let look = SpoolModel(.writer, Self.few).look
    for number in 0..<60_000 {
      _ = tree.add(Inotify.Watch(number: Int32(number)), folder("\(number % 100)/\(number)"), scan: 1)
      let name = FileName("\(number % 100)/\(number)/a.pdf")
      candidates.heard(.closedAfterWriting, name, now: Self.start, look: look)
    }
    candidates.heard(.closedAfterWriting, FileName("mine/one.pdf"), now: Self.start, look: look)
    var from = folder("7")
    for number in 0..<100_000 {
      let next = folder("moved-\(number)")
      let gone = tree.remove(from).count
      candidates.forget(in: from)
      guard gone == (number == 0 ? 600 : 1) else {
        Issue.record("\(from.shown) had \(gone) watches")
        return
      }
      _ = tree.add(Inotify.Watch(number: 7), next, scan: 1)
      if number % 1000 == 0 { candidates.settleDue(now: Self.start, look: look) }
      from = next
    }
    #expect(tree.folders.count == 59_401 && tree.folder(of: Inotify.Watch(number: 7)) == folder("moved-99999"))
    #expect(candidates.table[FileName("mine/one.pdf")] != nil)
    #expect(candidates.table[FileName("8/8/a.pdf")] != nil && candidates.table[FileName("7/7/a.pdf")] == nil)
  }

  @Test func walkReadsEachDirectoryOnce() throws {
    let top = try TemporaryFolder()
    defer { withExtendedLifetime(top) {} }
    let root = try Directory(path: top.path)
    var expected: Set<String> = [""]
    for number in 0..<9000 {
      try root.makeDirectory(Array("\(number)".utf8), permissions: 0o700)
      expected.insert("\(number)")
      guard number % 3000 == 0 else { continue }
      let folder = try root.directory(Array("\(number)".utf8))
      for below in 0..<5000 {
        try folder.makeDirectory(Array("\(below)".utf8), permissions: 0o700)
        expected.insert("\(number)/\(below)")
      }
    }
    let walk = FolderWalk(from: .spool, isWhole: true, isLate: false)
    var read: Set<String> = []
    var (names, most, isOver) = (0, 0, false)
    while !isOver {
      switch try walk.next() {
      case .name(let entry):
        names += 1
        walk.plan(walk.folder.child(entry.name))
      case .nextFolder(let folder):
        try walk.enter(folder == .spool ? root : root.directory(below: folder.path))
        read.insert(String(decoding: folder.path, as: UTF8.self))
      case .end: isOver = true
      }
      most = max(most, walk.planned)
    }
    #expect(most <= 13_000 && names == expected.count - 1 && read == expected)
  }
}
