import Glibc
import Jobs
@testable import Linux

@testable import Spool

/// A file, those who have it open, the kernel's queue of hints, and what the daemon makes of them: one state of many.
///
/// Time goes by in ticks of a second. The kernel is as inotify(7) says: hints come in order, and one that equals the last
/// unread one is left out.
struct WriterModel {
  struct Opener: Hashable {
    let writes: Bool
    var opensLeft: Int
    var writesLeft: Int
    var isOpen = false
    /// True if a hint of its own told of its opening, and if one told of its writing since the last closing of a writer.
    var openingWasHeard = false
    var writeWasHeard = false
  }

  struct Hint: Hashable {
    let happening: UInt32
    let name: Int
    let cookie: UInt32
    /// Those who caused it, a bit for each of their openings.
    var causers: Int
  }

  struct Setting {
    var writers = 1
    var opens = 1
    var writes = 1
    var reads = 0
    var truncations = 0
    var losses = 0
    var reloads = 0
    var scans = 1
    /// The name that the file is made under: 0 is one that is ignored, 1 and 2 are wanted ones; and the last one that it may get.
    var firstName = 1
    var lastName = 1
    /// The files for which a lease can tell. This one is user 0's.
    var leased = Candidates.Leased.none
    /// True if the daemon may not open the file, so that no lease tells.
    var isUnreadable = false
    /// True if an O_TRUNC's write is told before its opening, as before 6.8.
    var writeIsToldFirst = false
    /// True if it begins with a directory that was made, and a file in it that is being written, before the watch.
    var isLate = false
    /// True if the file gets its other names by link(2), and loses those before by unlink(2).
    var isLinked = false
    /// True if a file that was renamed in rests for a tick.
    var rests = false
    var queue = 3
  }

  private var times: SpoolOptions {
    SpoolOptions(
      settle: .seconds(1), settleUnseen: .seconds(2), settleOpen: .seconds(6), settleEmpty: .seconds(2),
      settleRenamed: .seconds(setting.rests ? Self.rest : 0))
  }
  static let rest = 1
  private static let start = ContinuousClock.now
  static let open = 6
  /// The longest time of settling there is besides.
  private static let settled = 2

  let setting: Setting
  private(set) var openers: [Opener]
  var queue: [Hint] = []
  private(set) var exists = false
  var name: Int
  var size: Int64 = 0
  private var version = 1
  private var moves: UInt32 = 0
  var truncations: Int
  var losses: Int
  var reloads: Int
  var scans: Int
  var tick = 0
  var changedAt = 0
  var renamedAt: Int?
  /// When the making, an opening or a write was first heard.
  var firstHeardAt: Int?
  /// True if two openings came as one, and if two openings or two closings did.
  var openingsMerged = false
  private var countsMerged = false
  var candidates: Candidates
  /// Nil while the file is not claimed.
  private(set) var claim: Claim?

  struct Claim: Hashable {
    /// True if somebody was writing of whom the daemon had heard.
    var breaksPromise: Bool
  }

  init(_ setting: Setting) {
    self.setting = setting
    candidates = Candidates(
      SpoolOptions(settle: .zero, settleUnseen: .zero, settleOpen: .zero, settleEmpty: .zero))
    openers = (0..<setting.writers).map { _ in
      Opener(writes: true, opensLeft: setting.opens, writesLeft: setting.writes)
    }
    if setting.reads > 0 { openers.append(Opener(writes: false, opensLeft: setting.reads, writesLeft: 0)) }
    (truncations, losses, reloads, scans) = (setting.truncations, setting.losses, setting.reloads, setting.scans)
    name = setting.firstName
    candidates = Candidates(times)
    candidates.leased = setting.leased
    if setting.isLate {
      exists = true
      size = 1
      openers[0].isOpen = true
      openers[0].opensLeft -= 1
      openers[0].openingWasHeard = true
      firstHeardAt = 0
      candidates.found(fileName, facts(), age: .zero, isLate: true, now: now)
    }
  }

  var now: ContinuousClock.Instant { Self.start + .seconds(tick) }
  private var fileName: FileName { Self.named(name) }
  static func named(_ name: Int) -> FileName { FileName([".f", "f", "g"][name]) }

  func facts() -> FileFacts {
    var facts = stat()
    facts.st_mode = S_IFREG
    facts.st_ino = 1
    facts.st_nlink = 1
    facts.st_size = off_t(size)
    facts.st_mtim.tv_sec = version
    facts.st_ctim.tv_sec = version
    return FileFacts(facts)
  }

  private var isWritten: Bool { openers.contains { $0.writes && $0.isOpen } }

  func successors() -> [(step: String, state: WriterModel)] {
    guard claim == nil else { return [] }
    var all: [(String, WriterModel)] = []
    func add(_ step: String, _ change: (inout WriterModel) -> Void) {
      var next = self
      change(&next)
      all.append((step, next))
    }
    let hasRoom = queue.count < setting.queue
    if hasRoom {
      for (index, opener) in openers.enumerated() {
        let who = opener.writes ? "writer \(index)" : "reader"
        if opener.isOpen {
          add("\(who) closes") { $0.close(index) }
          if opener.writesLeft > 0 { add("\(who) writes") { $0.write(index) } }
        } else if opener.opensLeft > 0, opener.writes || exists {
          add("\(who) opens") { $0.open(index, truncating: false) }
          if opener.writes, exists { add("\(who) opens with O_TRUNC") { $0.open(index, truncating: true) } }
        }
      }
      if exists, truncations > 0 { add("truncate(2)") { $0.truncate() } }
      // The kernel tells what is done by a descriptor under the name by which it was opened.
      if exists, name < setting.lastName, !setting.isLinked || !openers.contains(where: \.isOpen) {
        add("rename") { $0.rename() }
      }
    }
    if !queue.isEmpty { add("hint \(queue[0].happening)") { $0.deliver() } }
    if !queue.isEmpty, losses > 0 { add("loss") { $0.lose() } }
    if reloads > 0 { add("reload") { $0.reload() } }
    if exists, scans > 0, name > 0, candidates.wants(fileName) { add("scan") { $0.scan() } }
    // Hints wait for less than any time of settling.
    if exists, queue.isEmpty { add("tick") { $0.tick += 1 } }
    add("take") { $0.take() }
    return all
  }

  /// The state once everybody has closed the file, all is heard, and the file has its last name. From here on only time goes by.
  func closed() -> WriterModel {
    var state = self
    while !state.queue.isEmpty { state.deliver() }
    for index in state.openers.indices where state.openers[index].isOpen {
      state.close(index)
      while !state.queue.isEmpty { state.deliver() }
    }
    if state.name == 0, setting.lastName > 0 { state.rename() }
    while !state.queue.isEmpty { state.deliver() }
    return state
  }

  /// After how many ticks the file is claimed, in a state of ``closed()``; nil if never.
  func ticksToClaim() -> Int? {
    var state = self
    for waited in 0..<6 * Self.open {
      if state.candidates.wants(state.fileName) { state.scan() }
      state.take()
      if state.claim != nil { return waited }
      state.tick += 1
    }
    return nil
  }

  /// Returns true if a claim after so many ticks is late: after more than the times of settling, though nothing was lost or merged and
  /// nobody wrote who did not open the file.
  func isLate(_ ticks: Int) -> Bool {
    // Where a lease tells, a making is as good as a closing.
    let settled = setting.isLinked && setting.leased == .all && size > 0 ? 1 : Self.settled
    return ticks > settled && !countsMerged && !setting.isLate && losses == setting.losses
      && truncations == setting.truncations
  }

  private var hearsOpenings: Bool { setting.leased.needsOpenings }

  private mutating func raise(_ happening: Inotify.Happening, by index: Int?, name: Int? = nil, cookie: UInt32 = 0) {
    if !hearsOpenings, [.opened, .closedAfterReading].contains(happening) { return }
    let causers = index.map(bit) ?? 0
    let hint = Hint(happening: happening.rawValue, name: name ?? self.name, cookie: cookie, causers: causers)
    if let last = queue.last, (last.happening, last.name, last.cookie) == (hint.happening, hint.name, hint.cookie) {
      queue[queue.count - 1].causers |= causers
      if happening == .opened { openingsMerged = true }
      if [.opened, .closedAfterWriting, .closedAfterReading].contains(happening) { countsMerged = true }
    } else {
      queue.append(hint)
    }
  }

  /// What stands for an opener as it is open now, or was last.
  private func bit(_ index: Int) -> Int { 1 << (8 * index + openers[index].opensLeft) }

  private mutating func touch() {
    version += 1
    changedAt = tick
  }

  private mutating func open(_ index: Int, truncating: Bool) {
    openers[index].isOpen = true
    openers[index].opensLeft -= 1
    if !exists {
      exists = true
      touch()
      raise(.created, by: index)
    }
    if truncating {
      size = 0
      touch()
      if setting.writeIsToldFirst { raise(.modified, by: index) }
    }
    raise(.opened, by: index)
    if truncating, !setting.writeIsToldFirst { raise(.modified, by: index) }
  }

  private mutating func write(_ index: Int) {
    openers[index].writesLeft -= 1
    size += 1
    touch()
    raise(.modified, by: index)
  }

  private mutating func close(_ index: Int) {
    openers[index].isOpen = false
    openers[index].openingWasHeard = false
    openers[index].writeWasHeard = false
    raise(openers[index].writes ? .closedAfterWriting : .closedAfterReading, by: index)
  }

  private mutating func truncate() {
    truncations -= 1
    size = 0
    touch()
    raise(.modified, by: nil)
  }

  private mutating func rename() {
    moves += 1
    changedAt = tick
    renamedAt = tick
    version += 1
    if setting.isLinked {
      name += 1
      raise(.created, by: nil)
      return raise(.removed, by: nil, name: name - 1)
    }
    raise(.movedOut, by: nil, cookie: moves)
    name += 1
    raise(.movedIn, by: nil, cookie: moves)
  }

  private func look(_ asked: FileName) -> FileFacts? { exists && asked == fileName ? facts() : nil }

  private mutating func deliver() {
    let hint = queue.removeFirst()
    let happening = Inotify.Happening(rawValue: hint.happening)
    for index in openers.indices where hint.causers & bit(index) != 0 && openers[index].isOpen {
      // Where no openings are heard, the maker's is told by the making.
      if happening == (hearsOpenings ? .opened : .created) { openers[index].openingWasHeard = true }
      if happening == .modified { openers[index].writeWasHeard = true }
    }
    if happening == .closedAfterWriting {
      for index in openers.indices {
        openers[index].writeWasHeard = false
        // Nobody can tell whose closing it is.
        if !hearsOpenings { openers[index].openingWasHeard = false }
      }
    }
    if [.created, .opened, .modified].contains(happening) { firstHeardAt = firstHeardAt ?? tick }
    if hint.name == 0 {
      candidates.heardOfIgnored(happening, Self.named(0), cookie: hint.cookie, now: now)
    } else {
      candidates.heard(happening, Self.named(hint.name), cookie: hint.cookie, now: now, look: look)
    }
  }

  private mutating func lose() {
    losses -= 1
    queue = []
    candidates.distrust(now: now)
  }

  private mutating func reload() {
    reloads -= 1
    candidates.goOn(by: times, now: now) { $0 != Self.named(0) }
  }

  private mutating func scan() {
    scans -= 1
    candidates.found(fileName, facts(), age: .seconds(tick - changedAt), now: now)
  }

  private mutating func take() {
    candidates.settleDue(now: now, look: look)
    let mayAsk = setting.leased.covers(facts()) && !setting.isUnreadable
    let writers: Writers = mayAsk ? isWritten ? .some : .none : .unknown
    guard candidates.takeReady(now: now, look: look, writers: { _, _ in writers }) != nil else { return }
    // Both are over: the file was still for `settleOpen`, and so long ago was the first word of anybody.
    let isOver = tick - changedAt >= Self.open && tick - (firstHeardAt ?? tick) >= Self.open
    let isKnown = openers.contains {
      $0.writes && $0.isOpen && ($0.openingWasHeard && !openingsMerged || $0.writeWasHeard)
    }
    let hasRested = !setting.rests || tick - (renamedAt ?? tick - Self.rest) >= Self.rest
    claim = Claim(breaksPromise: !hasRested || (mayAsk ? isWritten : isKnown && !isOver))
  }
}
