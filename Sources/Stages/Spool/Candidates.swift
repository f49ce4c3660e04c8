import Jobs
import Linux

/// All names that may become a claim. This is the only way from "this name may be ready" to "claim it".
///
/// The type does no I/O and reads no clock: `look` returns the facts of a regular file, `writers` whether it is open for writing.
///
/// An entry of ``table`` waits for a deadline (``Candidate/due``), or is ready and queued for a claim, or waits for the other file of its
/// pair. The size of the table is limited (``Crowd``): a name that gives way is forgotten, ``wasFull`` is set, and a scan finds the name
/// again.
struct Candidates: Sendable {
  typealias Instant = ContinuousClock.Instant
  typealias Look = (FileName) -> FileFacts?
  typealias Ask = (FileName, FileFacts) -> Writers

  /// The maximum number of names to check, or to ask for leases on, in one call: each question causes an event.
  private static let looks = 1024
  /// The maximum number of waiting names that a scan found too young. The next scan finds the others, which will be older by then, so a
  /// spool that was just filled needs little memory. Names of unknown age grow older only in this table: all of them are added.
  static let mostYoung = 4096
  /// The longest time between two questions whether a file is still open for writing, unless `settle_unseen` is longer.
  static let longestPause = Duration.seconds(5)
  /// The maximum number of unwanted names in memory. Those that came first give way.
  static let mostIgnored = 4096
  /// The maximum number of names that are compared with a file that was linked in.
  static let mostCompared = 64

  let limit: Int
  private(set) var options: SpoolOptions
  /// True if the spool is watched, so that a close of a file causes an event.
  var hearsClosings = true
  /// The files whose openers a lease shows before a claim. Their open events do not count: one may come from the daemon's own request.
  var leased = Leased.none
  /// True if a name was forgotten because the table was full, since the last reset.
  var wasFull = false
  private(set) var counts: [FileStatus.Reason: Int] = [:]

  private(set) var table: [FileName: Candidate] = [:]
  private(set) var crowd = Crowd()
  /// The openers of names that are not wanted: such a file may get a wanted name later.
  private(set) var ignored: [FileName: Openers] = [:]
  /// The names in ``ignored``, in the order in which they came.
  private var ignoredNames = ReadyNames()
  /// The names in ``table`` and ``ignored`` that are in directories below the spool, without their paths.
  var below = FolderTree<Set<[UInt8]>>()
  /// The openers of files that were renamed away and may be open for writing.
  var departures = Departures<(openers: Openers, suspectSince: Instant)>()
  private var deadlines = Deadlines<FileName>()
  private var ready = ReadyNames()

  init(_ options: SpoolOptions, limit: Int = 65_536) {
    self.options = options
    self.limit = limit
  }

  var count: Int { table.count }
  var readyCount: Int { ready.count }
  var nextDeadline: Instant? { deadlines.first }

  /// Checks the names whose deadline has come. A file that was unchanged for long enough becomes ready; the others wait on.
  mutating func settleDue(now: Instant, look: Look) {
    for _ in 0..<Self.looks {
      guard let entry = deadlines.popDue(at: now) else { return }
      guard var candidate = table[entry.name], candidate.due == entry.moment else { continue }
      if candidate.stillness == nil, candidate.stillSince + options.stillness(candidate.origin, size: 1) > now {
        // The file was written to meanwhile.
        wait(entry.name, &candidate, until: candidate.stillSince + options.stillness(candidate.origin, size: 1))
        continue
      }
      if candidate.stillness == nil, candidate.origin == .renamed {
        // The file has waited for `settle_renamed`; its facts are read at the claim.
        makeReady(entry.name, &candidate)
        continue
      }
      guard let facts = look(entry.name) else {
        missed(entry.name, &candidate, now)
        continue
      }
      let needed = options.stillness(candidate.origin, size: facts.size)
      guard let stillness = candidate.stillness else {
        candidate.saw(facts)
        candidate.stillSince = now
        wait(entry.name, &candidate, until: now + needed)
        continue
      }
      if stillness != FileIdentity(facts) {
        changed(entry.name, &candidate, facts, now)
      } else if candidate.stillSince + needed > now {
        wait(entry.name, &candidate, until: candidate.stillSince + needed)
      } else {
        makeReady(entry.name, &candidate)
      }
    }
  }

  /// Removes and returns the next name to claim; nil if there is none for now. A file waits on if it changed while it waited for
  /// room, if a lease shows a writer, or if there may be a writer and no lease can tell.
  mutating func next(now: Instant, look: Look, writers: Ask) -> (name: FileName, known: Candidate)? {
    for _ in 0..<Self.looks {
      guard let name = ready.popFirst() else { return nil }
      guard var candidate = table[name], candidate.isReady else { continue }
      guard let facts = look(name) else {
        missed(name, &candidate, now)
        continue
      }
      if let stillness = candidate.stillness, stillness != FileIdentity(facts) {
        changed(name, &candidate, facts, now)
        continue
      }
      let settled = candidate.stillSince + options.stillness(candidate.origin, size: facts.size)
      // The facts were never read before: the file may have been written to until this moment.
      if candidate.stillness == nil, candidate.openers.mayWrite { candidate.stillSince = now }
      candidate.saw(facts)
      if settled > now {
        wait(name, &candidate, until: settled)
        continue
      }
      switch writers(name, facts) {
      case .none: break
      case .some:
        // An event will report the close, unless the writer opened the file by another name or before the watch, or a program that was
        // started meanwhile has a copy of the descriptor. So ask again, less and less often.
        let pause = min(options.settleOpen, Self.longestPause, now - candidate.stillSince)
        wait(name, &candidate, until: now + max(options.settleUnseen, pause), as: .open)
        continue
      case .unknown:
        if candidate.origin == .made {
          candidate.origin = .unseen
          wait(name, &candidate, until: candidate.stillSince + options.settleUnseen)
          continue
        }
        if let end = uncertainty(candidate, facts) {
          if end > now {
            // No event reports that another name of the file is removed.
            let due = candidate.openers.mayWrite ? end : min(end, now + options.settleUnseen)
            wait(name, &candidate, until: due, as: .uncertain)
            continue
          }
        } else if candidate.origin == .linked {
          candidate.origin = .unseen
          wait(name, &candidate, until: candidate.stillSince + options.settleUnseen)
          continue
        }
      }
      forget(name)
      return (name, candidate)
    }
    return nil
  }

  /// The time until which a file may have a writer that no lease reports; nil if there is no sign of one. The kernel reports a
  /// write only under the name that the writer opened, not under the file's other names.
  func uncertainty(_ candidate: Candidate, _ facts: FileFacts) -> Instant? {
    guard hearsClosings else { return nil }
    if candidate.openers.mayWrite { return max(candidate.stillSince, candidate.suspectSince) + options.settleOpen }
    return facts.links > 1 ? candidate.stillSince + options.settleOpen : nil
  }

  /// Handles a file that has changed since the last check. Growth proves that somebody writes to it.
  mutating func changed(_ name: FileName, _ candidate: inout Candidate, _ facts: FileFacts, _ now: Instant) {
    if let stillness = candidate.stillness {
      if stillness.inode != facts.inode {
        candidate.openers = .unknown
        candidate.origin = .unseen
      } else if facts.size > stillness.size {
        candidate.hear(now: now) { $0.sawGrowth() }
      }
    }
    if ![.closed, .made].contains(candidate.origin) { candidate.origin = .unseen }
    candidate.saw(facts)
    candidate.stillSince = now
    wait(name, &candidate, until: now + options.stillness(candidate.origin, size: facts.size))
  }

  /// Handles a file that is not there. If somebody may be writing to it, it may have been renamed, and the event about that has
  /// yet to arrive.
  private mutating func missed(_ name: FileName, _ candidate: inout Candidate, _ now: Instant) {
    guard candidate.openers.mayWrite, !candidate.isMissing else { return forget(name) }
    candidate.isMissing = true
    candidate.stillness = nil
    wait(name, &candidate, until: now + options.settleUnseen)
  }

  /// After lost events, no close can be relied on: a file that waited for a shorter time must stay unchanged for `settleUnseen` from now.
  /// The known writers stay known. No file is checked here, because each check may cause another event.
  mutating func distrust(now: Instant) {
    departures = Departures<(openers: Openers, suspectSince: Instant)>()
    for name in ignored.keys { ignored[name]?.distrust() }
    for (name, known) in table {
      var candidate = known
      candidate.hear(now: now) { $0.distrust() }
      if [.closed, .made].contains(candidate.origin), !candidate.isReady {
        candidate.origin = .unseen
        wait(name, &candidate, until: now + options.settleUnseen)
      } else {
        store(name, &candidate)
      }
    }
  }

  mutating func goOn(by options: SpoolOptions, now: Instant, isWanted: (FileName) -> Bool) {
    self.options = options
    for (name, known) in table {
      var candidate = known
      if !isWanted(name) {
        forget(name)
        if known.openers.mayWrite { setIgnored(name, known.openers) }
      } else if !candidate.isReady {
        wait(name, &candidate, until: now)
      }
    }
    for (name, openers) in ignored where isWanted(name) {
      setIgnored(name, nil)
      var candidate = Candidate(.unseen, openers, now: now)
      wait(name, &candidate, until: now + options.settleUnseen)
    }
  }

  mutating func forgetAll() { self = Candidates(options, limit: limit) }

  mutating func forget(_ name: FileName) {
    guard let removed = table.removeValue(forKey: name) else { return }
    index(name)
    tally(removed, -1)
    // The queues may still have names that are not in the table any more.
    if table.isEmpty { (deadlines, ready) = (Deadlines(), ReadyNames()) }
  }

  /// Counts a candidate that comes into the table, or with -1 one that leaves it.
  private mutating func tally(_ candidate: Candidate, _ number: Int) {
    counts[candidate.phase, default: 0] += number
    assert(counts[candidate.phase, default: 0] >= 0, "a candidate left that had not come")
    crowd.count(candidate.owner, isStuck: candidate.isStuck, number)
  }

  /// Removes a name that was renamed away, and remembers its openers for the new name.
  mutating func depart(_ name: FileName, cookie: UInt32, now: Instant) {
    let known = table[name]
    guard let openers = known?.openers ?? ignored[name] else { return }
    if cookie != 0, openers.mayWrite { departures.add(cookie, (openers, known?.suspectSince ?? now)) }
    if known != nil { forget(name) } else { setIgnored(name, nil) }
  }

  /// Remembers the openers of an unwanted name; also that there are none, if all opens were seen: then the next open may be a reader's.
  /// Names without a possible writer give way first, then those that came first.
  mutating func keepIgnored(_ name: FileName, _ openers: Openers) {
    guard openers.mayWrite || openers.isComplete else { return setIgnored(name, nil) }
    if ignored[name] == nil, ignored.count >= Self.mostIgnored {
      for (other, known) in ignored where !known.mayWrite && !known.isJustMade { setIgnored(other, nil) }
      let most = Self.mostIgnored - Self.mostIgnored / 16
      while ignored.count > most, let first = ignoredNames.popFirst() { setIgnored(first, nil) }
    }
    setIgnored(name, openers)
  }

  mutating func setIgnored(_ name: FileName, _ openers: Openers?) {
    let known = exchange(&ignored[name], with: openers)
    guard (known == nil) != (openers == nil) else { return }
    index(name)
    guard openers != nil else { return }
    ignoredNames.add(name)
    if ignoredNames.length > 2 * ignored.count + 1024 { ignoredNames.keepOnce { ignored[$0] != nil } }
  }

  mutating func makeReady(_ name: FileName, _ candidate: inout Candidate) {
    let wasReady = table[name]?.isReady == true
    candidate.phase = .ready
    candidate.due = nil
    guard store(name, &candidate), !wasReady else { return }
    ready.add(name)
    // The queue has names that are not ready any more, and must not outgrow the table.
    if ready.length > 2 * table.count + 1024 { ready.keepOnce { table[$0]?.isReady == true } }
  }

  /// Has a name wait until a check; without a time, until an event or a scan leads to one.
  mutating func wait(
    _ name: FileName, _ candidate: inout Candidate, until due: Instant?, as phase: FileStatus.Reason? = nil
  ) {
    if let phase {
      candidate.phase = phase
    } else if candidate.isReady || candidate.isAlone {
      candidate.phase = .settling
    }
    candidate.due = due
    if store(name, &candidate), let due { plan(name, at: due) }
  }

  /// Plans a check. Entries that later ones have replaced are removed, so that the heap does not outgrow the table.
  private mutating func plan(_ name: FileName, at due: Instant) {
    deadlines.add(name, at: due)
    guard deadlines.count > 2 * table.count + 1024 else { return }
    deadlines = Deadlines<FileName>()
    for (name, candidate) in table {
      if let due = candidate.due { deadlines.add(name, at: due) }
    }
  }

  @discardableResult
  mutating func store(_ name: FileName, _ candidate: inout Candidate) -> Bool {
    let before = table[name]
    guard before != nil || table.count < limit || makeRoom(for: candidate) else {
      wasFull = true
      return false
    }
    if let before { tally(before, -1) }
    tally(candidate, 1)
    table[name] = candidate
    assert(table.count <= limit, "the table outgrew its limit")
    if before == nil { index(name) }
    return true
  }

  /// Has names give way to another one; returns false if none does.
  private mutating func makeRoom(for newcomer: Candidate) -> Bool {
    let leavers = crowd.leavers(for: newcomer.owner) {
      table.map { Crowd.Member(name: $0, owner: $1.owner, isStuck: $1.isStuck, since: $1.since) }
    }
    for name in leavers {
      // A sidecar is found with its document.
      if table[name]?.phase != .awaitingDocument { wasFull = true }
      forget(name)
    }
    return !leavers.isEmpty
  }
}
