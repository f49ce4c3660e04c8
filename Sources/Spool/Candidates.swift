import Jobs
import LinuxFiles

/// Every name that may become a claim, and the one way from "this name may be ready" to "claim it".
///
/// No I/O and no clock of its own: `look` gives the facts of a regular file by name, or nil, `writers` says whether it is
/// open for writing, and `now` is a parameter.
/// Bounded: what does not fit is forgotten, ``wasFull`` is set, and a scan finds it again.
struct Candidates {
  typealias Instant = ContinuousClock.Instant
  typealias Look = (FileName) -> FileFacts?
  typealias Ask = (FileName, FileFacts) -> Writers

  /// How many are looked at again in one go.
  private static let looks = 1024
  /// How many names wait at most that a scan found too young. The next scan finds the others, aged by then: a spool that
  /// was just filled costs little memory. Where no age is known they only age here, and so are kept.
  static let mostYoung = 4096

  let settle: Duration
  let settleUnseen: Duration
  let limit: Int
  /// Whether a name was forgotten for want of room since this was last reset.
  var wasFull = false

  private(set) var table: [FileName: Candidate] = [:]
  private var deadlines = Deadlines()
  private var ready: [FileName] = []
  private var readyHead = 0

  init(settle: Duration, settleUnseen: Duration, limit: Int = 65_536) {
    self.settle = settle
    self.settleUnseen = settleUnseen
    self.limit = limit
  }

  var count: Int { table.count }
  /// How many may be claimed; some of them may have turned out otherwise.
  var readyCount: Int { ready.count - readyHead }
  /// When ``lookAgain(now:look:writers:)`` has something to do.
  var nextDeadline: Instant? { deadlines.first }

  /// Takes in a hint of the kernel's about a name.
  mutating func heard(_ happening: Inotify.Happening, _ name: FileName, now: Instant, look: Look) {
    if happening.contains(.isDirectory) { return }
    if !happening.isDisjoint(with: [.movedOut, .removed]) {
      forget(name)
    } else if happening.contains(.movedIn) {
      // What it is, is looked at when it is taken.
      put(name, .ready, now)
    } else if happening.contains(.created) {
      guard let facts = look(name) else { return }
      // A second name from the start: it was linked in, whole.
      if facts.links > 1 { put(name, .ready, now) } else { wait(name, .made, facts, now, settleUnseen) }
    } else if happening.contains(.modified) {
      heardWriting(name, now: now, look: look)
    } else if happening.contains(.closedAfterWriting) {
      table[name]?.isOpen = false
      table[name]?.hasWriter = false
      if let facts = look(name) { wait(name, .closed, facts, now, settle) }
    } else if happening.contains(.opened) {
      // The opening that made it follows its making at once; later ones say nothing of writing yet.
      if table[name]?.standing == .made { put(name, .opened, now) }
      table[name]?.isOpen = true
    } else if happening.contains(.closedAfterReading) {
      table[name]?.isOpen = false
      if table[name]?.standing == .opened, let facts = look(name) {
        // Made for reading, or linked in and read by somebody: nobody is known to write.
        wait(name, .unseen, facts, now, settleUnseen)
      }
    }
  }

  /// A write. One of many to the same file costs no look.
  private mutating func heardWriting(_ name: FileName, now: Instant, look: Look) {
    let known = table[name]
    guard known != nil || look(name) != nil else { return }
    if known?.standing != .written || known?.due != nil { put(name, .written, now) }
    if known?.isOpen == true { table[name]?.hasWriter = true }
  }

  /// Takes in what a scan found. `age` is the time since the file's ctime, zero where that is not to be trusted.
  ///
  /// What waits for a closing is looked at once more as if nothing were known, since there are ways to write without
  /// one (truncate(2)); ``lookAgain(now:look:writers:)`` decides.
  mutating func found(_ name: FileName, _ facts: FileFacts, age: Duration, now: Instant, writers: Ask) {
    let left = max(.zero, min(settleUnseen, settleUnseen - age))
    if let known = table[name] {
      if known.standing.waitsForClosing, known.due == nil { wait(name, known.standing, facts, now, left) }
    } else if left > .zero {
      guard age == .zero || table.count - readyCount < Self.mostYoung else {
        wasFull = true
        return
      }
      wait(name, .unseen, facts, now, left)
    } else if writers(name, facts) == .some {
      wait(name, .unseen, facts, now, settleUnseen)
    } else {
      put(name, .ready, now, Candidate.Stillness(facts))
    }
  }

  /// Whether a scan that finds the name has to tell: it is new, or waits for what may not come.
  func wants(_ name: FileName) -> Bool {
    guard let known = table[name] else { return true }
    return known.standing.waitsForClosing && known.due == nil
  }

  /// Looks again at what is due: still ones that nobody writes become ready, others wait anew. Not at all of it at once:
  /// asking after writers opens a file, and that is heard of.
  mutating func lookAgain(now: Instant, look: Look, writers: Ask) {
    for _ in 0..<Self.looks {
      guard let entry = deadlines.popDue(at: now) else { return }
      guard let candidate = table[entry.name], candidate.due == entry.moment else { continue }
      guard let facts = look(entry.name) else {
        forget(entry.name)
        continue
      }
      guard candidate.stillness == Candidate.Stillness(facts) else {
        wait(entry.name, candidate.standing, facts, now, candidate.standing == .closed ? settle : settleUnseen)
        continue
      }
      switch writers(entry.name, facts) {
      case .some:
        // A second writer, or one from before the watch. Its closing may be heard, and is not relied on.
        wait(entry.name, candidate.standing, facts, now, settleUnseen)
      case .unknown where candidate.standing.waitsForClosing && (candidate.isOpen || candidate.hasWriter):
        put(entry.name, candidate.standing, now)
      case .none, .unknown:
        put(entry.name, .ready, now, candidate.stillness)
      }
    }
  }

  /// Takes out the next name to claim; nil if there is none. One that changed while it waited for room waits anew.
  mutating func takeReady(now: Instant, look: Look) -> FileName? {
    while readyHead < ready.count {
      let name = ready[readyHead]
      readyHead += 1
      if readyHead == ready.count {
        ready.removeAll(keepingCapacity: ready.count < 1024)
        readyHead = 0
      }
      guard let candidate = table[name], candidate.standing == .ready else { continue }
      guard let facts = look(name) else {
        forget(name)
        continue
      }
      if let stillness = candidate.stillness, stillness != Candidate.Stillness(facts) {
        wait(name, .unseen, facts, now, settleUnseen)
        continue
      }
      forget(name)
      return name
    }
    return nil
  }

  /// After lost events nothing is known of any writing: what was waiting for an event, or for less, has to be still for
  /// `settleUnseen` from now on. Nobody is asked anything, since each look may be an event more.
  mutating func distrust(now: Instant) {
    for (name, candidate) in table where candidate.standing != .ready && candidate.standing != .unseen {
      table[name]?.isOpen = false
      table[name]?.hasWriter = false
      let due = now + settleUnseen
      put(name, .unseen, now, candidate.stillness, due: due)
      deadlines.add(name, at: due)
    }
  }

  /// What has been settling for so long and was not mentioned yet: one of the names, and how many.
  mutating func settling(for limit: Duration, now: Instant) -> (name: FileName, count: Int)? {
    let names = table.filter { !$1.isMentioned && $1.standing != .ready && now - $1.since >= limit }.map(\.key)
    for name in names { table[name]?.isMentioned = true }
    return names.first.map { ($0, names.count) }
  }

  /// Forgets what is in a directory and below it.
  mutating func forget(in folder: Folder) {
    for name in table.keys where folder.holds(name) { table[name] = nil }
    if table.isEmpty { forgetAll() }
  }

  /// Takes note that a directory is another one by now, with all that is below it.
  mutating func move(_ from: Folder, to folder: Folder) {
    for (name, candidate) in table where from.holds(name) {
      let now = FileName(bytes: from.moved(name.bytes, to: folder))
      table[name] = nil
      table[now] = candidate
      if candidate.standing == .ready { ready.append(now) }
      if let due = candidate.due { deadlines.add(now, at: due) }
    }
  }

  /// Forgets every name.
  mutating func forgetAll() {
    table = [:]
    deadlines = Deadlines()
    ready = []
    readyHead = 0
  }

  private mutating func forget(_ name: FileName) {
    table[name] = nil
    if table.isEmpty { forgetAll() }
  }

  private mutating func wait(
    _ name: FileName, _ standing: Candidate.Standing, _ facts: FileFacts, _ now: Instant, _ pause: Duration
  ) {
    let due = now + pause
    put(name, standing, now, Candidate.Stillness(facts), due: due)
    if table[name]?.due == due { deadlines.add(name, at: due) }
    if deadlines.count > 2 * table.count + 1024 { rebuildDeadlines() }
  }

  private mutating func put(
    _ name: FileName, _ standing: Candidate.Standing, _ now: Instant, _ stillness: Candidate.Stillness? = nil,
    due: Instant? = nil
  ) {
    let before = table[name]
    guard before != nil || table.count < limit else {
      wasFull = true
      return
    }
    var candidate = before ?? Candidate(standing: standing, since: now)
    if candidate.standing == .ready { candidate.since = now }
    candidate.standing = standing
    candidate.stillness = stillness
    candidate.due = due
    table[name] = candidate
    if standing == .ready, before?.standing != .ready {
      ready.append(name)
      if ready.count > 2 * table.count + 1024 { rebuildReady() }
    }
  }

  /// Leaves out entries that later ones have overtaken, so that the heap stays in proportion to the table.
  private mutating func rebuildDeadlines() {
    deadlines = Deadlines()
    for (name, candidate) in table {
      if let due = candidate.due { deadlines.add(name, at: due) }
    }
  }

  /// Leaves out names that are no longer ready or stand there twice.
  private mutating func rebuildReady() {
    var seen: Set<FileName> = []
    ready = ready[readyHead...].filter { table[$0]?.standing == .ready && seen.insert($0).inserted }
    readyHead = 0
  }
}
