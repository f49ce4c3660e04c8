import Jobs
import Linux

/// The events about names, and the results of scans.
extension Candidates {
  /// Handles an event of the kernel about a wanted name. `cookie` is the number that the two events of a rename share.
  mutating func heard(_ happening: Inotify.Happening, _ name: FileName, cookie: UInt32 = 0, now: Instant, look: Look) {
    if happening.contains(.isDirectory) { return }
    if happening.contains(.movedOut) {
      depart(name, cookie: cookie, now: now)
    } else if happening.contains(.removed) {
      forget(name)
    } else if happening.contains(.movedIn) {
      // The kind of the file is checked at the claim.
      let known = departures.arrival(cookie)
      var candidate = Candidate(.renamed, known?.openers ?? .movedIn, now: now)
      candidate.suspectSince = known?.suspectSince ?? now
      // Names of unknown owners would count as one owner's when the table is full.
      if table.count >= limit / 2 { candidate.owner = look(name)?.owner }
      if options.settleRenamed > .zero {
        wait(name, &candidate, until: now + options.settleRenamed)
      } else {
        makeReady(name, &candidate)
      }
    } else if happening.contains(.created) {
      heardOfMaking(name, now: now, look: look)
    } else if var candidate = table[name] ?? newcomer(happening, name, now, look) {
      heard(happening, name, &candidate, now, look)
    }
  }

  private mutating func heardOfMaking(_ name: FileName, now: Instant, look: Look) {
    let facts = look(name)
    if let facts, facts.links > 1 {
      // The file has a second name from the start, so it was linked in. The kernel reports its writers only under that name.
      var candidate = Candidate(.linked, openers(by: facts, look) ?? .unknown, now: now)
      candidate.owner = facts.owner
      makeReady(name, &candidate)
    } else {
      // The file may have been renamed already; the event about that has yet to arrive.
      let isAsked = facts.map(leased.covers) ?? false
      var candidate = Candidate(isAsked ? .made : .unseen, leased.needsOpenings ? .maker : .unheardMaker, now: now)
      if let facts { candidate.saw(facts) }
      wait(name, &candidate, until: now + (isAsked ? options.settle : options.settleUnseen))
    }
  }

  /// Returns the openers of a file under another of its names, if somebody may be writing to the file by that name. Only some of the known
  /// names are compared (``mostIgnored``, ``mostCompared``).
  private func openers(by facts: FileFacts, _ look: Look) -> Openers? {
    guard leased != .all else { return nil }
    var compared = 0
    func isOther(_ name: FileName, _ openers: Openers) -> Bool {
      guard openers.mayWrite, compared < Self.mostCompared else { return false }
      compared += 1
      return look(name).map { ($0.device, $0.inode) == (facts.device, facts.inode) } ?? false
    }
    return ignored.first(where: isOther)?.value
      ?? table.prefix(Self.mostIgnored).first { isOther($0.key, $0.value.openers) }?.value.openers
  }

  /// Returns the candidate for a file that was not known. A reader's close makes no candidate, nor does an open if a lease will
  /// show the writers.
  private func newcomer(_ happening: Inotify.Happening, _ name: FileName, _ now: Instant, _ look: Look) -> Candidate? {
    let writing: Inotify.Happening = [.modified, .closedAfterWriting]
    let isWritten = !happening.isDisjoint(with: writing)
    guard isWritten || happening.contains(.opened) && leased != .all, let facts = look(name) else { return nil }
    guard isWritten || !leased.covers(facts) else { return nil }
    var candidate = Candidate(.unseen, .unknown, now: now)
    candidate.owner = facts.owner
    return candidate
  }

  private mutating func heard(
    _ happening: Inotify.Happening, _ name: FileName, _ candidate: inout Candidate, _ now: Instant, _ look: Look
  ) {
    let wasSuspect = candidate.openers.mayWrite
    candidate.hear(now: now) { $0.heard(happening) }
    if happening.contains(.modified) {
      candidate.origin = .unseen
      candidate.stillSince = now
      candidate.stillness = nil
      waitOn(name, &candidate, now)
    } else if happening.contains(.closedAfterWriting) {
      guard let facts = look(name) else { return forget(name) }
      candidate.origin = .closed
      candidate.stillSince = now
      candidate.saw(facts)
      candidate.phase = .settling
      wait(name, &candidate, until: now + options.stillness(.closed, size: facts.size))
    } else if happening.contains(.opened) {
      // A request for a lease opens the file too. If the file waits for its pair, its writers are checked when the other file comes.
      if candidate.isReady || candidate.isAlone { store(name, &candidate) } else { waitOn(name, &candidate, now) }
    } else if happening.contains(.closedAfterReading) {
      if wasSuspect, !candidate.openers.mayWrite, !candidate.isReady, !candidate.isAlone {
        candidate.phase = .settling
        wait(name, &candidate, until: now)
      } else {
        store(name, &candidate)
      }
    }
  }

  /// Keeps the deadline that is already set, or sets one after `settle_unseen`: a thousand writes to one file cost no more than one.
  private mutating func waitOn(_ name: FileName, _ candidate: inout Candidate, _ now: Instant) {
    if candidate.due != nil {
      store(name, &candidate)
    } else {
      wait(name, &candidate, until: now + options.settleUnseen)
    }
  }

  /// Handles an event about a name that is not wanted: the file may get a wanted name while somebody is writing to it.
  mutating func heardOfIgnored(_ happening: Inotify.Happening, _ name: FileName, cookie: UInt32, now: Instant) {
    if leased == .all || happening.contains(.isDirectory) { return }
    var openers = ignored[name] ?? .unknown
    if happening.contains(.movedOut) {
      return depart(name, cookie: cookie, now: now)
    } else if happening.contains(.movedIn) {
      openers = departures.arrival(cookie)?.openers ?? .movedIn
    } else if happening.contains(.created) {
      openers = .maker
    } else if happening.contains(.removed) {
      openers = .unknown
    } else {
      openers.heard(happening)
    }
    keepIgnored(name, openers)
  }

  /// Adds a file that a scan found. `age` is the time since its ctime, zero if that cannot be trusted; for `isLate` see ``FolderWalk``.
  mutating func found(_ name: FileName, _ facts: FileFacts, age: Duration, isLate: Bool = false, now: Instant) {
    if var known = table[name] {
      guard isLate, known.mayHaveUnheardMaker else { return }
      known.openers = .unheardMaker
      known.suspectSince = known.stillSince
      store(name, &known)
      return
    }
    var candidate = Candidate(.unseen, isLate ? .unheardMaker : .unknown, now: now)
    candidate.saw(facts)
    let age = max(.zero, age)
    candidate.stillSince = now - age
    candidate.suspectSince = candidate.stillSince
    let settled = candidate.stillSince + options.stillness(.unseen, size: facts.size)
    guard settled > now else { return makeReady(name, &candidate) }
    guard age == .zero || table.count - readyCount < Self.mostYoung else {
      wasFull = true
      return
    }
    wait(name, &candidate, until: settled)
  }

  /// True if a scan has to report this name.
  func wants(_ name: FileName, isLate: Bool = false) -> Bool {
    guard let known = table[name] else { return true }
    return isLate && known.mayHaveUnheardMaker
  }
}

extension Candidate {
  /// True if no event has shown who has the file open.
  fileprivate var mayHaveUnheardMaker: Bool { origin == .unseen && !openers.isComplete && !openers.mayWrite }
}

/// The names in directories below the spool, which go with their directories.
extension Candidates {
  mutating func forget(in folder: Folder) {
    for folder in below.folders(in: folder) {
      for last in below[folder] ?? [] {
        let name = folder.file(last)
        forget(name)
        setIgnored(name, nil)
      }
    }
  }

  /// Adds a known name in a directory below the spool to ``below``, or removes one that is not known any more.
  mutating func index(_ name: FileName) {
    let folder = Folder(of: name)
    guard folder != .spool else { return }
    let last = name.last.bytes
    let isKnown = table[name] != nil || ignored[name] != nil
    below.change(folder) { names in
      if isKnown {
        if names == nil { names = [] }
        names?.insert(last)
      } else {
        names?.remove(last)
        if names?.isEmpty == true { names = nil }
      }
    }
  }
}
