import Jobs
import LinuxFiles

/// Every name that may become a claim, and the one way from "this name may be ready" to "claim it".
///
/// No I/O and no clock of its own: `look` gives the facts of a regular file by name, or nil, `writers` says whether it is
/// open for writing, and `now` is a parameter.
/// Bounded: what does not fit is forgotten, ``wasFull`` is set, and a scan finds it again.
struct Candidates: Sendable {
  typealias Instant = ContinuousClock.Instant
  typealias Look = (FileName) -> FileFacts?
  typealias Ask = (FileName, FileFacts) -> Writers

  /// How many are looked at again, or asked about, in one go: to ask opens a file, and that is heard of.
  private static let looks = 1024
  /// How many names wait at most that a scan found too young. The next scan finds the others, aged by then: a spool that
  /// was just filled costs little memory. Where no age is known they only age here, and so are kept.
  static let mostYoung = 4096
  /// How many names that are not wanted are known of at most.
  static let mostIgnored = 4096

  let limit: Int
  private(set) var times: SettlingTimes
  /// Whether closings can be heard of: the spool is watched.
  var hearsClosings = true
  /// Whether a lease can tell of every file, so that openings need not be counted of names that are not known.
  var leasesAll = false
  /// Whether a name was forgotten for want of room since this was last reset.
  var wasFull = false
  /// The first file that was taken though somebody may have had it open, and how many since this was last reset.
  var presumed: (name: FileName, count: Int)?
  /// How many wait for `settle_open`.
  private(set) var uncertainCount = 0

  private(set) var table: [FileName: Candidate] = [:]
  /// What is known of names that are not wanted: the files may get one that is.
  private(set) var ignored: [FileName: Openers] = [:]
  private(set) var departures = Departures()
  private var deadlines = Deadlines()
  private var ready: [FileName] = []
  private var readyHead = 0

  init(_ times: SettlingTimes, limit: Int = 65_536) {
    self.times = times
    self.limit = limit
  }

  var count: Int { table.count }
  /// How many may be claimed; some of them may have turned out otherwise.
  var readyCount: Int { ready.count - readyHead }
  /// When ``lookAgain(now:look:)`` has something to do.
  var nextDeadline: Instant? { deadlines.first }

  /// Looks again at what is due: what has been still for its time becomes ready, the rest waits on.
  mutating func lookAgain(now: Instant, look: Look) {
    for _ in 0..<Self.looks {
      guard let entry = deadlines.popDue(at: now) else { return }
      guard var candidate = table[entry.name], candidate.due == entry.moment else { continue }
      if candidate.stillness == nil, candidate.stillSince + times.stillness(candidate.origin, size: 1) > now {
        // It was written to meanwhile.
        wait(entry.name, &candidate, until: candidate.stillSince + times.stillness(candidate.origin, size: 1))
        continue
      }
      guard let facts = look(entry.name) else {
        missed(entry.name, &candidate, now)
        continue
      }
      let needed = times.stillness(candidate.origin, size: facts.size)
      guard let stillness = candidate.stillness else {
        candidate.stillness = Candidate.Stillness(facts)
        candidate.stillSince = now
        wait(entry.name, &candidate, until: now + needed)
        continue
      }
      if stillness != Candidate.Stillness(facts) {
        changed(entry.name, &candidate, facts, now)
      } else if candidate.stillSince + needed > now {
        wait(entry.name, &candidate, until: candidate.stillSince + needed)
      } else {
        makeReady(entry.name, &candidate)
      }
    }
  }

  /// Takes out the next name to claim; nil if there is none for now. One that changed while it waited for room, or that
  /// somebody is found writing, or may be writing where nobody can tell, waits on.
  mutating func takeReady(now: Instant, look: Look, writers: Ask) -> FileName? {
    for _ in 0..<Self.looks {
      guard let name = nextReady() else { return nil }
      guard var candidate = table[name], candidate.isReady else { continue }
      guard let facts = look(name) else {
        missed(name, &candidate, now)
        continue
      }
      if candidate.stillness == nil, candidate.openers.mayWrite { candidate.stillSince = now }
      if let stillness = candidate.stillness, stillness != Candidate.Stillness(facts) {
        changed(name, &candidate, facts, now)
        continue
      }
      candidate.stillness = Candidate.Stillness(facts)
      let settled = candidate.stillSince + times.stillness(candidate.origin, size: facts.size)
      if settled > now {
        wait(name, &candidate, until: settled)
        continue
      }
      switch writers(name, facts) {
      case .none: break
      case .some:
        // Its closing is heard, unless it is by another name or from before the watch: so it is asked again, ever more seldom.
        wait(name, &candidate, until: now + max(times.settleUnseen, min(times.settleOpen, now - candidate.stillSince)))
        continue
      case .unknown:
        if let end = uncertainty(candidate, facts) {
          if end > now {
            candidate.isUncertain = true
            // That another name of it goes is not heard.
            wait(name, &candidate, until: candidate.openers.mayWrite ? end : min(end, now + times.settleUnseen))
            continue
          }
          presumed = (presumed?.name ?? name, (presumed?.count ?? 0) + 1)
        } else if candidate.origin == .linked {
          candidate.origin = .unseen
          wait(name, &candidate, until: candidate.stillSince + times.settleUnseen)
          continue
        }
      }
      forget(name)
      return name
    }
    return nil
  }

  /// Until when a file may have a writer that no lease tells of; nil if nothing speaks for one. What is written by another
  /// name of the file is heard by that name alone.
  private func uncertainty(_ candidate: Candidate, _ facts: FileFacts) -> Instant? {
    guard hearsClosings else { return nil }
    if candidate.openers.mayWrite { return max(candidate.stillSince, candidate.suspectSince) + times.settleOpen }
    return facts.links > 1 ? candidate.stillSince + times.settleOpen : nil
  }

  /// A file is not as it was at the last look. Growth proves a writer.
  mutating func changed(_ name: FileName, _ candidate: inout Candidate, _ facts: FileFacts, _ now: Instant) {
    if let stillness = candidate.stillness {
      if stillness.inode != facts.inode {
        candidate.openers = .unknown
        candidate.origin = .unseen
      } else if facts.size > stillness.size {
        candidate.hear(now: now) { $0.sawGrowth() }
      }
    }
    if candidate.origin != .closed { candidate.origin = .unseen }
    candidate.stillness = Candidate.Stillness(facts)
    candidate.stillSince = now
    wait(name, &candidate, until: now + times.stillness(candidate.origin, size: facts.size))
  }

  /// A file is not there. If somebody may be writing it, it may have another name by now, of which a hint is on its way.
  private mutating func missed(_ name: FileName, _ candidate: inout Candidate, _ now: Instant) {
    guard candidate.openers.mayWrite, !candidate.isMissing else { return forget(name) }
    candidate.isMissing = true
    candidate.stillness = nil
    wait(name, &candidate, until: now + times.settleUnseen)
  }

  private mutating func nextReady() -> FileName? {
    guard readyHead < ready.count else { return nil }
    defer {
      readyHead += 1
      if readyHead == ready.count {
        ready.removeAll(keepingCapacity: ready.count < 1024)
        readyHead = 0
      }
    }
    return ready[readyHead]
  }

  /// After lost events no closing can be relied on, and what was waiting for less has to be still for `settleUnseen` from
  /// now on. What is known of writers stays. Nobody is asked anything, since each look may be an event more.
  mutating func distrust(now: Instant) {
    departures = Departures()
    for name in ignored.keys { ignored[name]?.distrust() }
    for (name, known) in table {
      var candidate = known
      candidate.hear(now: now) { $0.distrust() }
      if candidate.origin == .closed, !candidate.isReady {
        candidate.origin = .unseen
        wait(name, &candidate, until: now + times.settleUnseen)
      } else {
        table[name] = candidate
      }
    }
  }

  /// Goes on by other times and other wanted names.
  mutating func goOn(by times: SettlingTimes, now: Instant, isWanted: (FileName) -> Bool) {
    self.times = times
    for (name, known) in table {
      var candidate = known
      if !isWanted(name) {
        forget(name)
        if known.openers.mayWrite { ignored[name] = known.openers }
      } else if !candidate.isReady {
        wait(name, &candidate, until: now)
      }
    }
    for (name, openers) in ignored where isWanted(name) {
      ignored[name] = nil
      var candidate = Candidate(.unseen, openers, now: now)
      wait(name, &candidate, until: now + times.settleUnseen)
    }
  }

  /// What has been settling for so long and was not mentioned yet: one of the names, and how many.
  mutating func settling(for limit: Duration, now: Instant) -> (name: FileName, count: Int)? {
    let names = table.filter { !$1.isMentioned && !$1.isReady && now - $1.since >= limit }.map(\.key)
    for name in names { table[name]?.isMentioned = true }
    return names.first.map { ($0, names.count) }
  }

  /// Forgets what is in a directory and below it.
  mutating func forget(in folder: Folder) {
    for name in table.keys where folder.holds(name) { remove(name) }
    for name in ignored.keys where folder.holds(name) { ignored[name] = nil }
    if table.isEmpty { forgetCandidates() }
  }

  /// Takes note that a directory is another one by now, with all that is below it.
  mutating func move(_ from: Folder, to folder: Folder) {
    for (name, candidate) in table where from.holds(name) {
      let now = FileName(bytes: from.moved(name.bytes, to: folder))
      table[name] = nil
      table[now] = candidate
      if candidate.isReady { ready.append(now) }
      if let due = candidate.due { deadlines.add(now, at: due) }
    }
    for (name, openers) in ignored where from.holds(name) {
      ignored[name] = nil
      ignored[FileName(bytes: from.moved(name.bytes, to: folder))] = openers
    }
  }

  /// Forgets every name.
  mutating func forgetAll() {
    ignored = [:]
    departures = Departures()
    forgetCandidates()
  }

  private mutating func forgetCandidates() {
    table = [:]
    deadlines = Deadlines()
    ready = []
    readyHead = 0
    uncertainCount = 0
  }

  mutating func forget(_ name: FileName) {
    remove(name)
    if table.isEmpty { forgetCandidates() }
  }

  private mutating func remove(_ name: FileName) {
    if table.removeValue(forKey: name)?.isUncertain == true { uncertainCount -= 1 }
  }

  /// Takes out what is known of a name that was renamed away.
  mutating func depart(_ name: FileName, cookie: UInt32, now: Instant) {
    if let candidate = table[name] {
      departures.note(cookie, candidate.openers, since: candidate.suspectSince)
      forget(name)
    } else if let openers = ignored.removeValue(forKey: name) {
      departures.note(cookie, openers, since: now)
    }
  }

  /// What is known of a name that was renamed to be this one; nil if it came from elsewhere.
  mutating func arrival(_ cookie: UInt32) -> Departures.Departure? { departures.arrival(cookie) }

  /// Keeps who has a name open that is not wanted, also that nobody has while all openings were heard: the next opening may
  /// be a reader's. Those that nobody may be writing make room.
  mutating func noteIgnored(_ name: FileName, _ openers: Openers) {
    guard openers.mayWrite || openers.isComplete else {
      ignored[name] = nil
      return
    }
    if ignored[name] == nil, ignored.count >= Self.mostIgnored {
      ignored = ignored.filter { $0.value.mayWrite || $0.value.isJustMade }
      guard ignored.count < Self.mostIgnored else { return }
    }
    ignored[name] = openers
  }

  mutating func makeReady(_ name: FileName, _ candidate: inout Candidate) {
    let wasReady = table[name]?.isReady == true
    candidate.isReady = true
    candidate.due = nil
    guard store(name, &candidate), !wasReady else { return }
    ready.append(name)
    if ready.count > 2 * table.count + 1024 { rebuildReady() }
  }

  mutating func wait(_ name: FileName, _ candidate: inout Candidate, until due: Instant) {
    candidate.isReady = false
    candidate.due = due
    guard store(name, &candidate) else { return }
    deadlines.add(name, at: due)
    if deadlines.count > 2 * table.count + 1024 { rebuildDeadlines() }
  }

  /// Puts a candidate into the table; false where there is no room.
  @discardableResult
  mutating func store(_ name: FileName, _ candidate: inout Candidate) -> Bool {
    let before = table[name]
    guard before != nil || table.count < limit else {
      wasFull = true
      return false
    }
    if candidate.isReady { candidate.isUncertain = false }
    uncertainCount += (candidate.isUncertain ? 1 : 0) - (before?.isUncertain == true ? 1 : 0)
    table[name] = candidate
    return true
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
    ready = ready[readyHead...].filter { table[$0]?.isReady == true && seen.insert($0).inserted }
    readyHead = 0
  }
}
