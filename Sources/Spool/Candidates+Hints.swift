import Jobs
import LinuxFiles

/// What is heard of names, and what scans find.
extension Candidates {
  /// Takes in a hint of the kernel's about a name that is wanted. `cookie` is what the two hints of a rename share.
  mutating func heard(
    _ happening: Inotify.Happening, _ name: FileName, cookie: UInt32 = 0, now: Instant, look: Look
  ) {
    if happening.contains(.isDirectory) { return }
    if happening.contains(.movedOut) {
      depart(name, cookie: cookie, now: now)
    } else if happening.contains(.removed) {
      forget(name)
    } else if happening.contains(.movedIn) {
      // What it is, is looked at when it is taken.
      let known = arrival(cookie)
      var candidate = Candidate(.renamed, known?.openers ?? .movedIn, now: now)
      candidate.suspectSince = known?.suspectSince ?? now
      makeReady(name, &candidate)
    } else if happening.contains(.created) {
      heardOfMaking(name, now: now, look: look)
    } else if var candidate = table[name] ?? newcomer(happening, name, now, look) {
      heard(happening, name, &candidate, now, look)
    }
  }

  private mutating func heardOfMaking(_ name: FileName, now: Instant, look: Look) {
    let facts = look(name)
    if let facts, facts.links > 1 {
      // A second name from the start: it was linked in. Whoever writes it is heard of by the other name alone.
      var candidate = Candidate(.linked, openers(by: facts, look) ?? .unknown, now: now)
      makeReady(name, &candidate)
    } else {
      // It may have another name by now, of which a hint is on its way.
      var candidate = Candidate(.unseen, .maker, now: now)
      candidate.stillness = facts.map { Candidate.Stillness($0) }
      wait(name, &candidate, until: now + times.settleUnseen)
    }
  }

  /// Who has a file open by another name of it that somebody may be writing; nil if there is none such among the first so many.
  private func openers(by facts: FileFacts, _ look: Look) -> Openers? {
    guard !leasesAll else { return nil }
    func isOther(_ name: FileName, _ openers: Openers) -> Bool {
      openers.mayWrite && look(name).map { ($0.device, $0.inode) == (facts.device, facts.inode) } ?? false
    }
    return ignored.first(where: isOther)?.value
      ?? table.prefix(Self.mostIgnored).first { isOther($0.key, $0.value.openers) }?.value.openers
  }

  /// A file that was not known. Closings of readers say nothing; openings do not either where a lease will tell.
  private func newcomer(_ happening: Inotify.Happening, _ name: FileName, _ now: Instant, _ look: Look) -> Candidate? {
    let says: Inotify.Happening =
      leasesAll ? [.modified, .closedAfterWriting] : [.modified, .closedAfterWriting, .opened]
    guard !happening.isDisjoint(with: says), look(name) != nil else { return nil }
    return Candidate(.unseen, .unknown, now: now)
  }

  private mutating func heard(
    _ happening: Inotify.Happening, _ name: FileName, _ candidate: inout Candidate, _ now: Instant, _ look: Look
  ) {
    if happening.contains(.modified) {
      candidate.hear(now: now) { $0.heardWrite() }
      candidate.origin = .unseen
      candidate.stillSince = now
      candidate.stillness = nil
      waitOn(name, &candidate, now)
    } else if happening.contains(.closedAfterWriting) {
      guard let facts = look(name) else { return forget(name) }
      candidate.hear(now: now) { $0.heardClosingAfterWriting() }
      candidate.origin = .closed
      candidate.stillSince = now
      candidate.stillness = Candidate.Stillness(facts)
      candidate.isUncertain = false
      wait(name, &candidate, until: now + times.stillness(.closed, size: facts.size))
    } else if happening.contains(.opened) {
      candidate.hear(now: now) { $0.heardOpening() }
      if candidate.isReady { store(name, &candidate) } else { waitOn(name, &candidate, now) }
    } else if happening.contains(.closedAfterReading) {
      let wasSuspect = candidate.openers.mayWrite
      candidate.hear(now: now) { $0.heardClosingAfterReading() }
      if wasSuspect, !candidate.openers.mayWrite, !candidate.isReady {
        candidate.isUncertain = false
        wait(name, &candidate, until: now)
      } else {
        store(name, &candidate)
      }
    }
  }

  /// Waits until the moment that is set, or for `settle_unseen`: one of many writes to the same file costs nothing more.
  private mutating func waitOn(_ name: FileName, _ candidate: inout Candidate, _ now: Instant) {
    if candidate.due != nil { store(name, &candidate) } else { wait(name, &candidate, until: now + times.settleUnseen) }
  }

  /// Takes in a hint about a name that is not wanted: it may be renamed while somebody writes.
  mutating func heardOfIgnored(_ happening: Inotify.Happening, _ name: FileName, cookie: UInt32, now: Instant) {
    if leasesAll || happening.contains(.isDirectory) { return }
    var openers = ignored[name] ?? .unknown
    if happening.contains(.movedOut) {
      return depart(name, cookie: cookie, now: now)
    } else if happening.contains(.movedIn) {
      openers = arrival(cookie)?.openers ?? .movedIn
    } else if happening.contains(.created) {
      openers = .maker
    } else if happening.contains(.removed) {
      openers = .unknown
    } else if happening.contains(.modified) {
      openers.heardWrite()
    } else if happening.contains(.closedAfterWriting) {
      openers.heardClosingAfterWriting()
    } else if happening.contains(.opened) {
      openers.heardOpening()
    } else if happening.contains(.closedAfterReading) {
      openers.heardClosingAfterReading()
    }
    noteIgnored(name, openers)
  }

  /// Takes in what a scan found. `age` is the time since the file's ctime, zero where that is not to be trusted. `isLate` says
  /// that its directory was made just before it was watched, so that whoever made the file may still be writing it.
  mutating func found(_ name: FileName, _ facts: FileFacts, age: Duration, isLate: Bool = false, now: Instant) {
    if var known = table[name] {
      guard isLate, known.mayHaveUnheardMaker else { return }
      known.openers = .unheardMaker
      known.suspectSince = known.stillSince
      store(name, &known)
      return
    }
    var candidate = Candidate(.unseen, isLate ? .unheardMaker : .unknown, now: now)
    candidate.stillness = Candidate.Stillness(facts)
    candidate.stillSince = now - max(.zero, age)
    candidate.suspectSince = candidate.stillSince
    let settled = candidate.stillSince + times.stillness(.unseen, size: facts.size)
    guard settled > now else { return makeReady(name, &candidate) }
    guard age == .zero || table.count - readyCount < Self.mostYoung else {
      wasFull = true
      return
    }
    wait(name, &candidate, until: settled)
  }

  /// Whether a scan that finds the name has to tell.
  func wants(_ name: FileName, isLate: Bool = false) -> Bool {
    guard let known = table[name] else { return true }
    return isLate && known.mayHaveUnheardMaker
  }
}

extension Candidate {
  /// Whether nothing was heard of it that says who has it open.
  fileprivate var mayHaveUnheardMaker: Bool { origin == .unseen && !openers.isComplete && !openers.mayWrite }
}
