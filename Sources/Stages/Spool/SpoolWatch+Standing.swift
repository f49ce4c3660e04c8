import Glibc
import Jobs
import Linux

extension SpoolWatch {
  /// Returns why a file is not, or not yet, taken. It looks as the spool itself does: name, directories, kind, then what is
  /// known about its writers.
  func standing(of name: FileName) -> FileStanding {
    // Events that wait to be read may be about this file.
    woke()
    guard spool.present != nil else {
      return FileStanding(
        .lost, "the spool directory \(options.path) has disappeared",
        remedy: "make or mount it again; it is looked for every \(options.poll.inUnits)")
    }
    let facts: FileFacts
    do throws(FileError) {
      facts = try self.facts(of: name)
    } catch {
      return standing(of: name, error)
    }
    if options.group != nil { return standing(ofName: name, inGroups: true) ?? standingOfGroup(name, facts) }
    return standing(ofName: name) ?? standing(ofKind: facts, name) ?? standing(ofListed: name, facts)
      ?? standing(of: name, facts)
  }

  private func facts(of name: FileName) throws(FileError) -> FileFacts {
    let held = try spool.held()
    let folder = Folder(of: name)
    let directory = folder == .spool ? held.spool : try held.spool.directory(below: folder.path)
    return try directory.facts(of: name.last.bytes)
  }

  private func standing(of name: FileName, _ error: FileError) -> FileStanding {
    switch error.errno {
    case ENOENT, ENOTDIR: standing(ofMissing: name)
    case ELOOP:
      FileStanding(
        .symbolicLink, "a directory on its path is a symbolic link, which is not followed",
        remedy: "put the file into the spool itself, or make a spool of the directory")
    case EXDEV:
      FileStanding(
        .otherFileSystem, "a directory on its path is another file system, which is not looked into",
        remedy: "make that directory a spool of its own")
    case EACCES, EPERM:
      FileStanding(
        .refused, error.words,
        remedy: "give user \(ProcessRights.user) the right to read and enter the directories on its path")
    default: FileStanding(.refused, error.words, remedy: "see that it can be read")
    }
  }

  private func standing(ofMissing name: FileName) -> FileStanding {
    guard let error = strays.error(of: name) else { return FileStanding(.missing, "there is no such file") }
    return FileStanding(
      .refused, "it is claimed and cannot be read yet: \(error.words)",
      remedy: (error.remedy.map { $0 + "; " } ?? "") + "it is tried again by itself")
  }

  /// The reasons that name and path give; nil if there are none.
  private func standing(ofName name: FileName, inGroups: Bool = false) -> FileStanding? {
    let parts = name.bytes.split(separator: UInt8(ascii: "/"))
    if parts.first?.elementsEqual(HeldSpool.claimsName) == true {
      return FileStanding(
        .hidden, "the daemon keeps the files of its jobs in .waybill",
        remedy: "leave them there; waybill list has the jobs")
    }
    // Names in a group are not chosen from: all of it is one unit.
    for part in parts.prefix(inGroups ? 1 : .max) where !wanted.contains(Array(part)) {
      let shown = FileName(bytes: Array(part)).shown
      guard let pattern = wanted.pattern(for: Array(part)) else {
        return FileStanding(
          .hidden, "\(shown) begins with a dot, and such names are never taken", remedy: "rename it without the dot")
      }
      return FileStanding(
        .ignored, "\(shown) matches \(DisplayText.escape(pattern)), which the spool ignores",
        remedy: "rename it, or change ignore of spool \(options.name)")
    }
    guard !name.path.isEmpty, !inGroups else { return nil }
    guard options.recursive else {
      return FileStanding(
        .notRecursive, "it is in a directory below the spool, and the spool is not recursive",
        remedy: "move it to \(options.path), or set recursive of spool \(options.name)")
    }
    guard name.path.count <= Folder.longestPath else {
      return FileStanding(
        .tooDeep, "its path below the spool has more than \(Folder.longestPath) bytes",
        remedy: "move it to a directory with a shorter path")
    }
    return nil
  }

  private func standing(ofKind facts: FileFacts, _ name: FileName) -> FileStanding? {
    switch facts.kind {
    case .regular: return nil
    case .directory where options.recursive:
      return FileStanding(.directory, "it is a directory: the files in it are taken, each by itself")
    case .directory:
      return FileStanding(
        .directory, "it is a directory, and the spool is not recursive",
        remedy: "set recursive of spool \(options.name), or drop the files themselves")
    case .symbolicLink:
      return FileStanding(
        .symbolicLink, "it is a symbolic link, and those are not followed",
        remedy: "drop the file itself, or a hard link to it")
    case .other:
      return FileStanding(.notAFile, "it is no regular file but a FIFO, a socket or a device", remedy: "remove it")
    }
  }

  /// The reason that `only` gives; nil if it gives none.
  private func standing(ofListed name: FileName, _ facts: FileFacts) -> FileStanding? {
    guard facts.kind == .regular, !wanted.isListed(name.last.bytes) else { return nil }
    let patterns = options.only.map { DisplayText.escape($0) }.joined(separator: ", ")
    return FileStanding(
      .unlisted, "its name matches none of those that the spool takes: \(patterns)",
      remedy: "rename it, or change only of spool \(options.name)", facts: facts)
  }

  /// The reason that the size gives; nil if it gives none. A file that is still watched may get another size.
  private func standing(ofSize facts: FileFacts) -> FileStanding? {
    guard let refusal = options.sizes.refusal(of: facts.size) else { return nil }
    let size = "it has \(facts.size) byte\(facts.size == 1 ? "" : "s")"
    switch refusal {
    case .empty:
      return FileStanding(
        .empty, "it is empty, and the spool leaves empty files alone",
        remedy: "it is looked at again when it is written to; or change empty of spool \(options.name)", facts: facts)
    case .tooSmall:
      return FileStanding(
        .tooSmall, "\(size), fewer than min_size, \(options.sizes.least)",
        remedy: "it is looked at again when it grows; or change min_size of spool \(options.name)", facts: facts)
    case .tooLarge:
      return FileStanding(
        .tooLarge, "\(size), more than max_size, \(options.sizes.greatest ?? 0)",
        remedy: "it is looked at again when it changes; or change max_size of spool \(options.name)", facts: facts)
    }
  }

  private func standing(of name: FileName, _ facts: FileFacts) -> FileStanding {
    if let refusal = refusals.byName[name] {
      return FileStanding(
        .refused, refusal.problem.reason, remedy: refusal.problem.remedy, left: left(until: nextScan), facts: facts)
    }
    let writers = self.writers(name, facts)
    if writers == .some {
      return FileStanding(
        .open, "a program has it open for writing", remedy: "it is taken when that program closes it", facts: facts)
    }
    guard let candidate = candidates.table[name] else {
      if let refused = standing(ofSize: facts) { return refused }
      let isLooking = walk != nil || newWalk != nil || !newFolders.isEmpty || scanIsWanted || nextScan <= now
      return FileStanding(
        .unseen, isLooking ? "the spool is being read and has not come to it yet" : "no event told of it",
        remedy: isLooking ? "" : "it is found when the spool is read again",
        left: isLooking ? nil : left(until: nextScan), facts: facts)
    }
    if let alone = candidate.alone { return standing(of: name, alone, candidate, facts) }
    if candidate.isReady { return FileStanding(.ready, "it is ready to be taken", facts: facts) }
    let due = left(until: candidate.due ?? now)
    if candidate.isUncertain {
      return FileStanding(
        .uncertain,
        "somebody may have it open, and nobody can tell: it is taken when it has been unchanged for \(options.settleOpen.inUnits)",
        remedy: unlessLeased(facts),
        left: left(until: max(candidate.stillSince, candidate.suspectSince) + options.settleOpen), facts: facts)
    }
    let needed = candidates.times.stillness(candidate.origin, size: facts.size)
    let words =
      facts.size == 0 && needed == options.settleEmpty
      ? "it is empty, and is taken if it stays so for \(needed.inUnits)"
      : "it is taken when it has been unchanged for \(needed.inUnits)"
    return FileStanding(.settling, words, left: due, facts: facts)
  }

  private func standing(
    of name: FileName, _ alone: Candidate.Alone, _ candidate: Candidate, _ facts: FileFacts
  ) -> FileStanding {
    switch alone {
    case .sidecar:
      let document = options.sidecar?.document(of: name).map { "the document \($0.shown)" } ?? "its document"
      return FileStanding(
        .awaitingDocument, "it is a sidecar, and \(document) has not come",
        remedy: "drop the document; a sidecar is never sent by itself", facts: facts)
    case .document:
      let sidecar = options.sidecar?.sidecar(of: name) ?? name
      if look(sidecar) != nil {
        return FileStanding(
          .awaitingSidecar, "its sidecar \(sidecar.shown) is there and not ready to be taken",
          remedy: "waybill explain \(sidecar.shown) says why", left: left(until: candidate.due ?? now), facts: facts)
      }
      return FileStanding(
        .awaitingSidecar,
        "its sidecar \(sidecar.shown) has not come; it is taken without one after \(options.sidecarWait.inUnits)",
        left: left(until: candidate.due ?? now), facts: facts)
    }
  }

  private func left(until time: ContinuousClock.Instant) -> Duration { max(.zero, time - now) }

  /// The way to have the kernel asked about writers instead.
  private func unlessLeased(_ facts: FileFacts) -> String {
    guard spool.present?.grantsLeases == true else {
      return "its file system has no leases, so the kernel cannot be asked; settle_open is the time to wait"
    }
    return "give the daemon CAP_LEASE, so that it can ask the kernel; settle_open is the time to wait without it"
  }
}
