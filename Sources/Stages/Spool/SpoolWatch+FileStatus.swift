import Glibc
import Jobs
import Linux
import Messages

extension SpoolWatch {
  /// Returns the reason why a file is not claimed, or not yet, by the checks of a claim.
  func status(of name: FileName) -> FileStatus {
    // Unread events may be about this file.
    woke()
    // A medium with an open directory cannot be unmounted.
    defer { opened = nil }
    guard spool.present != nil else {
      return FileStatus(.lost, .spoolDisappeared(path: options.path), remedy: .lookedFor(time: options.look))
    }
    let facts: FileFacts
    do throws(FileError) {
      facts = try open(Folder(of: name)).facts(of: name.last.bytes)
    } catch {
      return Self.status(error)
    }
    if let lasting = status(ofName: name, inGroups: options.group != nil) ?? status(ofKind: facts, name) {
      return lasting
    }
    var status =
      options.group != nil ? statusOfGroup(name) : status(ofMatch: name) ?? status(of: name, facts)
    status.facts = facts
    return status
  }

  /// Returns the status that a file or directory would get if it was dropped under a name, without the checks that need the file itself.
  func status(ofComing name: FileName, isDirectory: Bool) -> FileStatus {
    if let marker = options.group {
      guard isDirectory else { return FileStatus(.looseFile, .looseInGroups, remedy: .moveIntoGroup) }
      return status(ofName: name, inGroups: true) ?? status(ofMatch: name)
        ?? FileStatus(
          .incomplete, .markerMissing(marker: DisplayText.escape(marker), group: name.shown), remedy: .markerFollows)
    }
    guard !isDirectory else { return status(ofName: name) ?? statusOfDirectory }
    if let lasting = status(ofName: name) ?? status(ofMatch: name) { return lasting }
    guard let pattern = options.sidecar else { return FileStatus(.ready, .ready) }
    let isSidecar = pattern.fits(name)
    let other = isSidecar ? pattern.document(of: name) : pattern.sidecar(of: name)
    if let other, readFacts(other) != nil { return FileStatus(.ready, .ready) }
    return isSidecar ? statusOfSidecar(name, nil) : statusOfDocument(name, nil, left: nil)
  }

  private static func status(_ error: FileError) -> FileStatus {
    switch error.errno {
    case ENOENT, ENOTDIR: FileStatus(.missing, .noSuchFile)
    case ELOOP:
      FileStatus(.symbolicLink, .pathHasLink, remedy: .putIntoSpool)
    case EXDEV:
      FileStatus(.otherFileSystem, .pathHasOtherFileSystem, remedy: .makeOwnSpool)
    case EACCES, EPERM:
      FileStatus(.refused, error.message, remedy: .grantReadingPath(user: UserName.of(ProcessRights.user)))
    default: FileStatus(.refused, error.message, remedy: .makeReadable)
    }
  }

  private func status(ofName name: FileName, inGroups: Bool = false) -> FileStatus? {
    let components = name.bytes.split(separator: UInt8(ascii: "/"))
    if components.first?.elementsEqual(LockedSpool.claimsName) == true {
      return FileStatus(.hidden, .inClaims, remedy: .leaveClaims)
    }
    // Patterns do not apply to the names inside a group, because a group is one unit.
    var folder = Folder.spool
    for component in components.prefix(inGroups ? 1 : .max) {
      let place = folder.file(Array(component))
      folder = Folder(path: place.bytes)
      if wanted.contains(place) { continue }
      let shown = place.last.shown
      guard let pattern = wanted.pattern(for: place) else {
        return FileStatus(.hidden, .beginsWithDot(name: shown), remedy: .renameWithoutDot)
      }
      return FileStatus(
        .ignored, .matchesIgnore(name: shown, pattern: DisplayText.escape(pattern)),
        remedy: .renameOrIgnore(spool: options.name))
    }
    guard !name.path.isEmpty, !inGroups else { return nil }
    guard options.recursive else {
      return FileStatus(.notRecursive, .notRecursive, remedy: .moveOrRecursive(path: options.path, spool: options.name))
    }
    guard name.path.count <= Folder.longestPath else {
      return FileStatus(.tooDeep, .pathTooLong(limit: Folder.longestPath), remedy: .moveToShorter)
    }
    return nil
  }

  private func status(ofKind facts: FileFacts, _ name: FileName) -> FileStatus? {
    if options.group != nil {
      let isLoose = facts.kind != .directory && name.path.isEmpty
      return isLoose ? FileStatus(.looseFile, .looseInGroups, remedy: .moveIntoGroup) : nil
    }
    switch facts.kind {
    case .regular: return nil
    case .directory: return statusOfDirectory
    case .symbolicLink:
      return FileStatus(.symbolicLink, .isLink, remedy: .dropFileItself)
    case .other:
      return FileStatus(.notAFile, .isNoFile, remedy: .removeIt)
    }
  }

  private var statusOfDirectory: FileStatus {
    options.recursive
      ? FileStatus(.directory, .directoryOfFiles)
      : FileStatus(.directory, .directoryNotRecursive, remedy: .recursiveOrDrop(spool: options.name))
  }

  func status(ofMatch name: FileName) -> FileStatus? {
    guard let pattern = options.match, !wanted.isMatched(name) else { return nil }
    return FileStatus(
      .unmatched, .notMatched(pattern: DisplayText.escape(pattern.text)),
      remedy: .renameOrMatch(spool: options.name))
  }

  private func status(of name: FileName, _ facts: FileFacts) -> FileStatus {
    if let problem = refusals[name] {
      return FileStatus(.refused, problem.message, remedy: problem.advice, left: left(until: nextScan))
    }
    let writers = self.writers(name, facts)
    if writers == .some {
      return FileStatus(.open, .openForWriting, remedy: .takenWhenClosed)
    }
    guard let candidate = candidates.table[name] else {
      return FileStatus(
        .unseen, mustScan ? .beingRead : .notTold, remedy: mustScan ? nil : .foundWhenRead,
        left: mustScan ? nil : left(until: nextScan))
    }
    let due = left(until: candidate.due ?? now)
    switch candidate.phase {
    case .ready: return FileStatus(.ready, .ready)
    case .awaitingDocument: return statusOfSidecar(name, facts)
    case .awaitingSidecar: return statusOfDocument(name, facts, left: due)
    case .uncertain:
      return FileStatus(
        .uncertain, .mayBeOpen(time: options.settleOpen),
        remedy: spool.present?.grantsLeases == true ? .giveLease : .noLeases,
        left: left(until: max(candidate.stillSince, candidate.suspectSince) + options.settleOpen))
    default: break
    }
    let needed = options.stillness(candidate.origin, size: facts.size)
    let message: Message =
      facts.size == 0 && needed == options.settleEmpty ? .settlingEmpty(time: needed) : .settling(time: needed)
    return FileStatus(.settling, message, left: due)
  }

  private func statusOfSidecar(_ name: FileName, _ facts: FileFacts?) -> FileStatus {
    let document = options.sidecar?.document(of: name)
    if let facts, let document, let other = readFacts(document)?.owner, !LockedSpool.makePair(other, facts.owner) {
      return FileStatus(
        .awaitingDocument, .isSidecarOfAnother(name: document.shown, other: UserName.of(other)),
        remedy: .dropBothAsOne)
    }
    let message = document.map { Message.isSidecarOf(name: $0.shown) } ?? .isSidecar
    return FileStatus(.awaitingDocument, message, remedy: .dropDocument)
  }

  private func statusOfDocument(_ name: FileName, _ facts: FileFacts?, left: Duration?) -> FileStatus {
    let sidecar = options.sidecar?.sidecar(of: name) ?? name
    if let facts, let owner = readFacts(sidecar)?.owner, LockedSpool.makePair(owner, facts.owner) {
      return FileStatus(
        .awaitingSidecar, .sidecarNotReady(name: sidecar.shown), remedy: .explainSaysWhy(name: sidecar.shown),
        left: left)
    }
    return FileStatus(.awaitingSidecar, .sidecarMissing(name: sidecar.shown, time: options.sidecarWait), left: left)
  }

  private func left(until time: ContinuousClock.Instant) -> Duration { max(.zero, time - now) }
}
